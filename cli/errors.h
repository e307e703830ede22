/* Says what is wrong with a file or a call: on stderr for people, or as members of a JSON object.
 */
#ifndef TG_CLI_ERRORS_H
#define TG_CLI_ERRORS_H

#include "base/json_out.h"
#include "base/diag.h"
#include "tilegrind/tilegrind.h"

/* "add.json: /kernels/0/body/ops/4: store: ...", one line each. */
void tg_cli_print_errors(const tg_errors *errors);
void tg_cli_print_diags(const tg_diags *diags);

/* A list of them under "errors". */
void tg_cli_json_errors(tg_json_out *json, const tg_errors *errors);
void tg_cli_json_diags(tg_json_out *json, const tg_diags *diags);

/* Adds what a call has found to `diags` and frees `errors`.  `status` is what the call returned;
 * where it failed and found nothing to say, that is said.  Returns `status`. */
tg_status tg_cli_collect(tg_diags *diags, tg_errors *errors, tg_status status);

/* Says on standard error that memory is exhausted.  Returns the exit code. */
int tg_cli_no_memory(void);

#endif
