/* What the command lines of `tilegrind run` and `tilegrind check` have in common. */
#ifndef TG_CLI_RUN_ARGS_H
#define TG_CLI_RUN_ARGS_H

#include "cli/command.h"
#include "cli/run_request.h"

#define TG_CLI_HELP_IN                                                                             \
    "inputs of a kernel file, by the names of its parameters: all that\n"                          \
    "FILE (.npz, .safetensors) holds, or one array (.npy); repeatable"
#define TG_CLI_HELP_OUT "write the outputs to FILE (.npz, .safetensors; .npy for one output)"
#define TG_CLI_HELP_ISA "baseline, avx2 or avx512; default: the widest of this machine"
#define TG_CLI_HELP_PROFILE                                                                        \
    "reference (default): f32 elementary functions correctly rounded; fast:\n"                     \
    "by SLEEF, within 1 ULP, and as PTX by approximate instructions"
#define TG_CLI_HELP_KERNEL "the kernel to run; the first of the file if not given"
#define TG_CLI_HELP_GRID "sizes of the dynamic axes of the grid, in their order"
#define TG_CLI_HELP_JSON "print one JSON object instead of text"

/* Take an argument into the request; what is wrong with it, or NULL. */
const char *tg_cli_take_input(tg_run_request *r, const char *value);
const char *tg_cli_take_grid(tg_run_request *r, const char *text);

/* Reads a command line, each option by `take`, which returns what is wrong with it or NULL, and runs what it asks for.  Returns
 * the exit code. */
typedef const char *tg_cli_take(tg_run_request *r, int id, const char *value);
int tg_cli_run_request(const tg_cli_command *command, tg_run_request *r, tg_cli_take *take,
                       int argc, char **argv);

#endif
