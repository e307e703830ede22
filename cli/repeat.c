/* The command that repeats a run. */
#include "cli/repeat.h"

#include <stdio.h>
#include <string.h>

/* Appends " --name value", quoted for a shell where that is needed; leaves out what does not fit.
 */
static void append(char *text, size_t size, const char *option, const char *value)
{
    size_t used = strlen(text);
    if (!value || used + strlen(option) + 4 * strlen(value) + 8 > size) return;
    char *at = text + used;
    at += snprintf(at, size - used, " %s%s", option, option[0] ? " " : "");
    bool plain = value[strcspn(value, " \t\n\"'$`\\*?[]{}()<>|&;!#~")] == '\0' && value[0];
    if (!plain) *at++ = '\'';
    for (const char *c = value; *c; c++) {
        if (*c == '\'' && !plain) {
            memcpy(at, "'\\''", 4); /* end the quotes, a quote, begin them again */
            at += 4;
        } else {
            *at++ = *c;
        }
    }
    if (!plain) *at++ = '\'';
    *at = '\0';
}

/* The checks of the request; what an order shows by itself needs none. */
static const char *checks_of(const tg_run_request *r, const char *order)
{
    if (strncmp(order, "replay:", 7) == 0) return NULL;
    return r->checks ? r->checks : r->is_check ? "all" : NULL;
}

void tg_cli_repeat(const tg_run_request *r, const char *order, char out[TG_CLI_REPEAT])
{
    snprintf(out, TG_CLI_REPEAT, "tilegrind run");
    append(out, TG_CLI_REPEAT, "", r->path);
    for (size_t i = 0; i < r->input_count; i++) append(out, TG_CLI_REPEAT, "--in", r->inputs[i]);
    append(out, TG_CLI_REPEAT, "--order", order);
    append(out, TG_CLI_REPEAT, "--compat", r->compat);
    append(out, TG_CLI_REPEAT, "--isa", r->isa);
    append(out, TG_CLI_REPEAT, "--profile", r->profile);
    append(out, TG_CLI_REPEAT, "--backend", r->backend);
    append(out, TG_CLI_REPEAT, "--check", checks_of(r, order));
    append(out, TG_CLI_REPEAT, "--target", r->target);
    append(out, TG_CLI_REPEAT, "--trap", r->trap);
    append(out, TG_CLI_REPEAT, "--warps", r->warps_text);
    append(out, TG_CLI_REPEAT, "--max-steps", r->max_steps_text);
    append(out, TG_CLI_REPEAT, "--partly-written", r->partly_written);
    append(out, TG_CLI_REPEAT, "--layouts", r->layouts);
    append(out, TG_CLI_REPEAT, "--tensor-core", r->tensor_core);
    append(out, TG_CLI_REPEAT, "--kernel", r->kernel);
    append(out, TG_CLI_REPEAT, "--grid", r->grid_text);
    append(out, TG_CLI_REPEAT, "--mesh", r->mesh);
    for (size_t i = 0; i < r->sharding_count; i++)
        append(out, TG_CLI_REPEAT, "--sharding", r->shardings[i].argument);
    append(out, TG_CLI_REPEAT, "--device-order", r->device_order);
}
