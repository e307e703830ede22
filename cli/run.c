/* tilegrind run: a case or a kernel, on the CPU. */
#include "cli/run_args.h"

enum {
    OPT_IN = 1,
    OPT_OUT,
    OPT_ORDER,
    OPT_COMPAT,
    OPT_ISA,
    OPT_PROFILE,
    OPT_BACKEND,
    OPT_CHECK,
    OPT_KERNEL,
    OPT_GRID,
    OPT_JSON
};
static const tg_cli_option options[] = {
    {OPT_IN, "in", "FILE|NAME=FILE", TG_CLI_HELP_IN},
    {OPT_OUT, "out", "FILE", TG_CLI_HELP_OUT},
    {OPT_ORDER, "order", "ORDER",
     "sequential, reversed, shuffled[:SEED], parallel[:THREADS],\n"
     "interleaved[:SEED] or replay:TOKEN; default: those of the case, else\n"
     "sequential"},
    {OPT_COMPAT, "compat", "MODE",
     "strict (default): what is outside an array is a finding and reads as\n"
     "NaN; jax: blocks and slices are moved inside, as JAX does"},
    {OPT_ISA, "isa", "ISA", TG_CLI_HELP_ISA},
    {OPT_PROFILE, "profile", "PROFILE", TG_CLI_HELP_PROFILE},
    {OPT_BACKEND, "backend", "BACKEND",
     "cpu (default): the interpreter; emulator[:SEED]: as PTX, executed on\n"
     "the CPU with its warps in the order that the seed gives; gpu[:NUMBER]:\n"
     "as PTX, on that NVIDIA GPU"},
    {OPT_CHECK, "check", "CHECK,...",
     "what else to look for: races, undefined, arithmetic, all or none (default)"},
    {OPT_KERNEL, "kernel", "NAME", TG_CLI_HELP_KERNEL},
    {OPT_GRID, "grid", "N,...", TG_CLI_HELP_GRID},
    {OPT_JSON, "json", NULL, TG_CLI_HELP_JSON},
    {0, NULL, NULL, NULL},
};

/* Notes one option; returns what is wrong with it, or NULL. */
static const char *take(tg_run_request *r, int id, const char *value)
{
    switch (id) {
    case OPT_IN: return tg_cli_take_input(r, value);
    case OPT_OUT: r->out = value; return NULL;
    case OPT_ORDER: r->order = value; return NULL;
    case OPT_COMPAT: r->compat = value; return NULL;
    case OPT_ISA: r->isa = value; return NULL;
    case OPT_PROFILE: r->profile = value; return NULL;
    case OPT_BACKEND: r->backend = value; return NULL;
    case OPT_CHECK: r->checks = value; return NULL;
    case OPT_KERNEL: r->kernel = value; return NULL;
    case OPT_GRID: return tg_cli_take_grid(r, value);
    default: r->as_json = true; return NULL;
    }
}

static int run(int argc, char **argv)
{
    tg_run_request r = {0};
    return tg_cli_run_request(&tg_cli_run, &r, take, argc, argv);
}

const tg_cli_command tg_cli_run = {
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
    "is told in ULP (steps between neighbouring numbers), with its place and both values.\n"
    "Exit code 1 where there are findings or an output is not as expected; 130 where Ctrl-C "
    "stopped\n"
    "the run.",
    options,
    run,
};
