/* tilegrind run: a case or a kernel, on the CPU. */
#include "cli/commands.h"
#include "cli/run_args.h"

enum { OPT_ORDER = TG_OPT_OWN, OPT_COMPAT, OPT_BACKEND };
static const char check_help[] = "what else to look for: "
#define TG_CHECK(ID, name, what) name ", "
#define TG_ADVICE(ID, name, what)
#include "report/checks.def"
                                 "all or none (default)"
#define TG_CHECK(ID, name, what)
#define TG_ADVICE(ID, name, what) "; " name ", which is not one of all"
#include "report/checks.def"
    ;

static const char backend_help[] = "what runs it, one of"
#define TG_BACKEND(id, texts, what) "\n" texts ": " what
#include "api/backends.def"
    ;

static const tg_cli_option options[] = {
    TG_CLI_FILE_OPTIONS,
    {OPT_ORDER, "order", "ORDER",
     "sequential, reversed, shuffled[:SEED], parallel[:THREADS], "
     "interleaved[:SEED] or replay:TOKEN; default: those of the case, else "
     "sequential"},
    {OPT_COMPAT, "compat", "MODE",
     "strict (default): what is outside an array is a finding and reads as "
     "NaN; zero: as strict, but lanes that the mask of a load turns off "
     "without `other` are 0; jax: blocks and slices are moved inside, as JAX does; tpu, "
     "tpu:zero: as strict, but undefined is the greatest integer, or 0"},
    TG_CLI_MACHINE_OPTIONS,
    {OPT_BACKEND, "backend", "BACKEND", backend_help},
    {TG_OPT_CHECK, "check", "CHECK,...", check_help},
    TG_CLI_LOOK_OPTIONS,
    TG_CLI_KERNEL_OPTIONS,
    TG_CLI_MESH_OPTIONS,
    TG_CLI_REPORT_OPTIONS,
    {0, NULL, NULL, NULL},
};

static const char *take(tg_run_request *r, int id, const char *value)
{
    switch (id) {
    case OPT_ORDER: r->order = value; return NULL;
    case OPT_COMPAT: r->compat = value; return NULL;
    default: r->backend = value; return NULL;
    }
}

static int run(int argc, char **argv)
{
    tg_run_request r = {0};
    return tg_cli_run_request(&tg_command_run, &r, take, argc, argv);
}

const tg_cli_command tg_command_run = {
    "run",
    "CASE|KERNEL.json",
    "run a case or a kernel and report what is wrong with it",
    "Runs every program of a kernel's grid on the CPU, in any order, and reports each finding "
    "with\n"
    "kernel, program, operation and source line.\n"
    "A CASE is a folder with case.json: kernel, inputs, orders and the outputs that are expected.  "
    "It is\n"
    "run in each of its orders; outputs are compared with the expected ones, and the largest "
    "difference\n"
    "is given in ULP (steps between neighbouring numbers), with its place and both values.\n"
    "Exit code 1 where there are findings that --fail-on asks for and no suppression covers, or "
    "an\n"
    "output is not as expected; 130 where Ctrl-C stopped the run.",
    options,
    run,
};
