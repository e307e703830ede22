#include "cli/errors.h"

#include <inttypes.h>
#include <string.h>

#include "cli/style.h"

static void print_error(const tg_error *error)
{
    tg_style style = tg_style_for(stderr);
    fprintf(stderr, "%serror%s: ", style.bad, style.off);
    if (error->file) {
        fputs(style.strong, stderr);
        tg_put_clean(stderr, error->file);
        fprintf(stderr, "%s: ", style.off);
    }
    if (error->where && error->where[0]) {
        tg_put_clean(stderr, error->where);
        fputs(": ", stderr);
    }
    if (error->offset >= 0) fprintf(stderr, "byte %" PRId64 ": ", error->offset);
    tg_put_clean(stderr, error->message);
    putc('\n', stderr);
}

static void json_error(tg_json_out *json, const tg_error *error)
{
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "status", tg_status_name(error->status));
    tg_emit_text(json, "file", error->file);
    tg_emit_text(json, "where", error->where);
    if (error->offset >= 0) tg_emit_int(json, "offset", error->offset);
    tg_emit_text(json, "message", error->message);
    tg_emit_close(json, '}');
}

/* A diagnosis of a loader, as the public interface would hand it out. */
static tg_error error_of(const tg_diag *diag)
{
    return (tg_error){diag->status, diag->file, diag->where, diag->offset, diag->message};
}

void tg_cli_print_errors(const tg_errors *errors)
{
    for (size_t i = 0; i < tg_errors_count(errors); i++) {
        tg_error error = tg_errors_get(errors, i);
        print_error(&error);
    }
}

void tg_cli_print_diags(const tg_diags *diags)
{
    for (size_t i = 0; i < diags->count; i++) {
        tg_error error = error_of(&diags->list[i]);
        print_error(&error);
    }
    if (diags->dropped) fprintf(stderr, "error: %zu more\n", diags->dropped);
}

void tg_cli_json_errors(tg_json_out *json, const tg_errors *errors)
{
    tg_emit_open(json, "errors", '[');
    for (size_t i = 0; i < tg_errors_count(errors); i++) {
        tg_error error = tg_errors_get(errors, i);
        json_error(json, &error);
    }
    tg_emit_close(json, ']');
}

void tg_cli_json_diags(tg_json_out *json, const tg_diags *diags)
{
    tg_emit_open(json, "errors", '[');
    for (size_t i = 0; i < diags->count; i++) {
        tg_error error = error_of(&diags->list[i]);
        json_error(json, &error);
    }
    tg_emit_close(json, ']');
}

static void take_errors(tg_diags *diags, const tg_errors *errors)
{
    char before[sizeof diags->file];
    memcpy(before, diags->file, sizeof before);
    for (size_t i = 0; i < tg_errors_count(errors); i++) {
        tg_error error = tg_errors_get(errors, i);
        /* The path comes printed, "/kernels/0"; as one key it prints the same again. */
        tg_path at = {NULL, error.where && error.where[0] ? error.where + 1 : "", 0};
        tg_diags_set_file(diags, error.file);
        tg_fail_at(diags, error.status, at.key[0] ? &at : NULL, error.offset, "%s", error.message);
    }
    tg_diags_set_file(diags, before);
    diags->dropped += tg_errors_dropped(errors);
}

tg_status tg_cli_collect(tg_diags *diags, tg_errors *errors, tg_status status)
{
    const size_t before = diags->count;
    if (errors) take_errors(diags, errors);
    tg_errors_free(errors);
    if (status != TG_OK && status != TG_ERR_STOPPED && diags->count == before)
        tg_fail(diags, status, NULL, "%s", tg_status_text(status));
    return status;
}

int tg_cli_no_memory(void)
{
    fprintf(stderr, "error: %s\n", tg_status_text(TG_ERR_NO_MEMORY));
    return tg_status_exit(TG_ERR_NO_MEMORY);
}
