/* tilegrind run: a case or a kernel, on the CPU. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/run_watch.h"

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
    {OPT_IN, "in", "FILE|NAME=FILE",
     "inputs of a kernel file, by the names of its parameters: all that\n"
     "FILE (.npz, .safetensors) holds, or one array (.npy); repeatable"},
    {OPT_OUT, "out", "FILE", "write the outputs to FILE (.npz, .safetensors; .npy for one output)"},
    {OPT_ORDER, "order", "ORDER",
     "sequential, reversed, shuffled[:SEED], parallel[:THREADS] or\n"
     "interleaved[:SEED]; default: those of the case, else sequential"},
    {OPT_COMPAT, "compat", "MODE",
     "strict (default): what is outside an array is a finding and reads as\n"
     "NaN; jax: blocks and slices are moved inside, as JAX does"},
    {OPT_ISA, "isa", "ISA", "baseline, avx2 or avx512; default: the widest of this machine"},
    {OPT_PROFILE, "profile", "PROFILE",
     "reference (default): f32 elementary functions correctly rounded; fast:\n"
     "by SLEEF, within 1 ULP, and as PTX by approximate instructions"},
    {OPT_BACKEND, "backend", "BACKEND",
     "cpu (default): the interpreter; emulator[:SEED]: as PTX, executed on\n"
     "the CPU with its warps in the order that the seed gives; gpu[:NUMBER]:\n"
     "as PTX, on that NVIDIA GPU"},
    {OPT_CHECK, "check", "CHECK,...", "what else to look for: races, all or none (default)"},
    {OPT_KERNEL, "kernel", "NAME", "the kernel to run; the first of the file if not given"},
    {OPT_GRID, "grid", "N,...", "sizes of the dynamic axes of the grid, in their order"},
    {OPT_JSON, "json", NULL, "print one JSON object instead of text"},
    {0, NULL, NULL, NULL},
};

/* Reads "4,8"; returns what is wrong with it, or NULL. */
static const char *take_grid(tg_run_request *r, const char *text)
{
    r->grid_text = text;
    r->grid_count = 0;
    for (const char *at = text;; at++) {
        char *end;
        errno = 0;
        if (r->grid_count == TG_CLI_MAX_AXES) return "--grid has too many axes";
        long long size = strtoll(at, &end, 10);
        if (end == at || errno || size < 0)
            return "--grid takes sizes separated by commas, as in 4,8";
        r->grid[r->grid_count++] = size;
        if (!*end) return NULL;
        if (*end != ',') return "--grid takes sizes separated by commas, as in 4,8";
        at = end;
    }
}

/* Notes one option; returns what is wrong with it, or NULL. */
static const char *take(tg_run_request *r, int id, const char *value)
{
    switch (id) {
    case OPT_IN:
        if (r->input_count == TG_CLI_MAX_INPUTS) return "too many --in";
        r->inputs[r->input_count++] = value;
        return NULL;
    case OPT_OUT: r->out = value; return NULL;
    case OPT_ORDER: r->order = value; return NULL;
    case OPT_COMPAT: r->compat = value; return NULL;
    case OPT_ISA: r->isa = value; return NULL;
    case OPT_PROFILE: r->profile = value; return NULL;
    case OPT_BACKEND: r->backend = value; return NULL;
    case OPT_CHECK: r->checks = value; return NULL;
    case OPT_KERNEL: r->kernel = value; return NULL;
    case OPT_GRID: return take_grid(r, value);
    default: r->as_json = true; return NULL;
    }
}

static const char *check_case(const tg_run_request *r)
{
    if (r->input_count) return "--in goes with a kernel file; a case has its inputs";
    if (r->kernel) return "--kernel goes with a kernel file; a case names its kernel";
    if (r->grid_count) return "--grid goes with a kernel file; a case has its grid";
    return NULL;
}

static int run(int argc, char **argv)
{
    tg_run_request r = {0};
    const char *value, *problem = NULL;
    int first, id;
    while (!problem && (id = tg_cli_next(&tg_cli_run, argc, argv, &value, &first)) != TG_CLI_DONE) {
        if (id == TG_CLI_HELPED) return TG_EXIT_CLEAN;
        if (id == TG_CLI_BAD) return TG_EXIT_USAGE;
        problem = take(&r, id, value);
    }
    if (!problem && argc - first != 1) problem = "exactly one case or kernel file is needed";
    if (problem) return tg_cli_usage(&tg_cli_run, "%s", problem);
    r.path = argv[first];
    tg_run_watch_interrupts();
    if (!tg_cli_is_case(r.path)) return tg_cli_run_kernel(&r);
    problem = check_case(&r);
    return problem ? tg_cli_usage(&tg_cli_run, "%s", problem) : tg_cli_run_case(&r);
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
