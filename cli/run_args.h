/* What the command lines of `tilegrind run` and `tilegrind check` have in common. */
#ifndef TG_CLI_RUN_ARGS_H
#define TG_CLI_RUN_ARGS_H

#include "cli/command.h"
#include "cli/run_request.h"

/* Ids of the options that both have; those of a command's own begin at TG_OPT_OWN. */
enum {
    TG_OPT_IN = 1,
    TG_OPT_OUT,
    TG_OPT_HTML,
    TG_OPT_TRACE,
    TG_OPT_CHECK, /* the row is the command's own: the defaults differ */
    TG_OPT_TARGET,
    TG_OPT_TRAP,
    TG_OPT_WARPS,
    TG_OPT_MAX_STEPS,
    TG_OPT_PARTLY_WRITTEN,
    TG_OPT_LAYOUTS,
    TG_OPT_TENSOR_CORE,
    TG_OPT_ISA,
    TG_OPT_PROFILE,
    TG_OPT_KERNEL,
    TG_OPT_GRID,
    TG_OPT_MESH,
    TG_OPT_SHARDING,
    TG_OPT_DEVICE_ORDER,
    TG_OPT_SUPPRESSIONS,
    TG_OPT_GEN_SUPPRESSIONS,
    TG_OPT_FAIL_ON,
    TG_OPT_SARIF,
    TG_OPT_JSON,
    TG_OPT_OWN
};

/* Rows of the tables of options: what goes in and out, then the machine, the kernel and the
 * reports. */
/* clang-format off */
#define TG_CLI_FILE_OPTIONS                                                                        \
    {TG_OPT_IN, "in", "FILE|NAME=FILE",                                                            \
     "inputs of a kernel file, by the names of its parameters: all that "                          \
     "FILE (.npz, .safetensors) holds, or one array (.npy); repeatable"},                          \
    {TG_OPT_OUT, "out", "FILE",                                                                    \
     "write the outputs to FILE (.npz, .safetensors; .npy for one output)"},                       \
    {TG_OPT_HTML, "html", "FILE",                                                                  \
     "write a page to look at: grid and arrays side by side, findings, the history of "            \
     "each element, and a timeline; one file, of the first order with findings; on a mesh "        \
     "one device at a time, which the page lets you choose"},                                      \
    {TG_OPT_TRACE, "trace", "FILE",                                                                \
     "write the timeline, of the same order, as JSON for Perfetto or chrome://tracing: "           \
     "who works, who waits for whom, copies and products in flight (docs/page.md)"}
#define TG_CLI_LOOK_OPTIONS                                                                        \
    {TG_OPT_TARGET, "target", "TARGET",                                                            \
     "any, or tpu: what that makes of the kernel counts; default: what the case "                  \
     "says, or any"},                                                                              \
    {TG_OPT_TRAP, "trap", "VALUE,...",                                                             \
     "nan, inf: ops that make the first of these are findings; default: none"},                    \
    {TG_OPT_WARPS, "warps", "N",                                                                   \
     "of how many warps a program is, for check memory-cost; default: 4"},                         \
    {TG_OPT_MAX_STEPS, "max-steps", "N",                                                           \
     "end a program whose loops have made N iterations, with a finding; default: no "              \
     "limit, as loops that can never end are found anyway"},                                       \
    {TG_OPT_PARTLY_WRITTEN, "partly-written", "NAME,...",                                          \
     "outputs of which elements stay unwritten on purpose: reported only if none "                 \
     "is written"},                                                                                \
    {TG_OPT_LAYOUTS, "layouts", "HELD",                                                            \
     "logical (default): layouts change no value; physical: memory and values are held "           \
     "where their layouts say (docs/layouts.md)"},                                                \
    {TG_OPT_TENSOR_CORE, "tensor-core", "MODEL",                                                   \
     "exact (default): each link of a product is rounded to nearest; sm90, sm100: products "       \
     "of narrow floats are summed as published of these tensor cores (docs/numerics-tensor-core.md)"}
#define TG_CLI_MACHINE_OPTIONS                                                                     \
    {TG_OPT_ISA, "isa", "ISA", "baseline, avx2 or avx512; default: the widest of this machine"},   \
    {TG_OPT_PROFILE, "profile", "PROFILE",                                                         \
     "reference (default): f32 elementary functions correctly rounded; fast: "                     \
     "within 1 ULP, most by SLEEF, and as PTX by approximate instructions"}
#define TG_CLI_KERNEL_OPTIONS                                                                      \
    {TG_OPT_KERNEL, "kernel", "NAME", "the kernel to run; the first of the file if not given"},    \
    {TG_OPT_GRID, "grid", "N,...", "sizes of the dynamic axes of the grid, in their order"}
#define TG_CLI_MESH_OPTIONS                                                                        \
    {TG_OPT_MESH, "mesh", "NAME=N,...",                                                            \
     "run the kernel once on each device of a mesh, such as x=4,y=2, on its own "                  \
     "parts of the arrays, which are whole ones then, also those of a case "                       \
     "(docs/mesh.md)"},                                                                            \
    {TG_OPT_SHARDING, "sharding", "NAME=LAYOUT",                                                   \
     "which part of the array of a parameter each device has: P('x', None), "                      \
     "[{\"x\"}, {}], (S(0), B), or an Axe layout; one for each array"},                            \
    {TG_OPT_DEVICE_ORDER, "device-order", "ORDER",                                                 \
     "which device runs when: sequential (default), reversed, shuffled[:SEED]"}
#define TG_CLI_REPORT_OPTIONS                                                                      \
    {TG_OPT_SUPPRESSIONS, "suppressions", "FILE",                                                  \
     "findings that are known and do not count (docs/reports.md); repeatable"},                    \
    {TG_OPT_GEN_SUPPRESSIONS, "gen-suppressions", "FILE",                                          \
     "write suppressions of all other findings to FILE; -: print them"},                           \
    {TG_OPT_FAIL_ON, "fail-on", "LEVEL",                                                           \
     "the least level of findings that make the exit code 1: error, warning, "                     \
     "note (default), advice or never"},                                                           \
    {TG_OPT_SARIF, "sarif", "FILE", "also write the findings to FILE as SARIF 2.1.0"},             \
    {TG_OPT_JSON, "json", NULL, "print one JSON object instead of text"}
/* clang-format on */

/* Reads a command line, those of its own options by `take`, which returns what is wrong with one or
 * NULL, and runs what it asks
 * for.  Returns the exit code. */
typedef const char *tg_cli_take(tg_run_request *r, int id, const char *value);
int tg_cli_run_request(const tg_cli_command *command, tg_run_request *r, tg_cli_take *take,
                       int argc, char **argv);

#endif
