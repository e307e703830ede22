/* What a page knows, as JSON.  The log is one text per access, as it is by far the most of it. */
#include <inttypes.h>
#include <string.h>

#include "cli/findings.h"
#include "cli/page.h"
#include "cli/repeat.h"
#include "report/compare.h"

/* Values of all arrays before and after the run; each array gets its share. */
enum { MOST_CONTENTS = 200000 };

/* ---- values ---- */

/* Values in memory's format, separated by blanks, each told apart from any other but one NaN from another. */
static void put_values(FILE *out, tg_dtype dtype, const unsigned char *data, int64_t count)
{
    char value[TG_ELEMENT_TEXT];
    for (int64_t i = 0; i < count; i++) {
        tg_element_print(dtype, data + (size_t)i * tg_dtypes[dtype].bytes, value);
        value[strcspn(value, " ")] = '\0'; /* without its bits */
        fprintf(out, "%s%s", i ? " " : "", value);
    }
}

/* The first elements of an array. */
static void put_contents(tg_json_out *json, const char *key, const tg_param *param,
                         const void *data, int64_t most)
{
    const int64_t count = tg_type_count(&param->array);
    FILE *out = tg_emit_text_begin(json, key);
    put_values(out, param->array.dtype, data, count < most ? count : most);
    tg_emit_text_end(json);
}

/* ---- launch ---- */

static void put_run(tg_json_out *json, const tg_run_request *request, const tg_report *report)
{
    char repeat[TG_CLI_REPEAT];
    const tg_run_stats stats = tg_report_stats(report);
    tg_cli_repeat(request, stats.order, repeat);
    tg_emit_text(json, "tilegrind", tg_version());
    tg_emit_text(json, "file", request->path);
    tg_emit_bool(json, "is_check", request->is_check);
    tg_emit_text(json, "checks",
                 request->checks     ? request->checks
                 : request->is_check ? "all"
                                     : "none");
    tg_emit_text(json, "order", stats.order);
    tg_emit_int(json, "programs", stats.programs);
    tg_emit_int(json, "threads", stats.threads);
    tg_emit_text(json, "isa", stats.isa);
    tg_emit_text(json, "profile", stats.profile);
    tg_emit_text(json, "repeat", repeat);
}

static void put_grid(tg_json_out *json, const tg_recording *r)
{
    tg_emit_open(json, "grid", '[');
    for (int a = 0; a < r->grid.rank; a++) {
        tg_emit_open(json, NULL, '{');
        tg_emit_text(json, "name", r->kernel->axes[a].name);
        tg_emit_int(json, "size", r->grid.size[a]);
        tg_emit_bool(json, "parallel", r->grid.semantics[a] == TG_AXIS_PARALLEL);
        tg_emit_close(json, '}');
    }
    tg_emit_close(json, ']');
}

static void put_gap(tg_json_out *json, const tg_history_gap *gap)
{
    tg_emit_int(json, "accesses_left_out", gap->accesses);
    tg_emit_int(json, "values_left_out", gap->values);
    if (gap->since < INT64_MAX) tg_emit_int(json, "gap_since", gap->since);
    if (gap->since_asked_for < INT64_MAX)
        tg_emit_int(json, "gap_since_asked_for", gap->since_asked_for);
}

static void put_param(tg_json_out *json, const tg_recording *r, uint32_t p)
{
    const tg_param *param = &r->kernel->params[p];
    const int64_t most = MOST_CONTENTS / (2 * (int64_t)r->kernel->param_count);
    const bool is_defined = param->role == TG_ROLE_INPUT || param->role == TG_ROLE_PREFETCH;
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "name", param->name);
    tg_emit_text(json, "role", tg_role_names[param->role]);
    tg_emit_text(json, "dtype", tg_dtypes[param->array.dtype].name);
    tg_emit_open(json, "shape", '[');
    for (int d = 0; d < param->array.rank; d++) tg_emit_int(json, NULL, param->array.shape[d]);
    tg_emit_close(json, ']');
    tg_emit_int(json, "memory", tg_param_owner(r->kernel, p));
    if (is_defined) put_contents(json, "before", param, r->data[p], most);
    if (param->role == TG_ROLE_OUTPUT) put_contents(json, "after", param, r->data[p], most);
    put_gap(json, &r->history->gaps[p]);
    tg_emit_close(json, '}');
}

/* ---- log ---- */

/* "STEP STEPS KIND PROGRAM OP PLACE MEMORY FIRST COUNTxSTRIDE...|VALUE VALUE..."; KIND is r, w or a, followed by p where parts
 * of elements are touched, PLACE numbers the locations of the module. */
static void put_entry(tg_json_out *json, const tg_recording *r, const tg_history_entry *e)
{
    const char *kind = e->kind == TG_ACCESS_READ ? "r" : e->kind == TG_ACCESS_WRITE ? "w" : "a";
    FILE *out = tg_emit_text_begin(json, NULL);
    fprintf(out, "%" PRId64 " %" PRId64 " %s%s %" PRId64 " %s %" PRIu32 " %" PRIu32 " %" PRId64,
            e->step, e->steps, kind, e->is_part ? "p" : "", e->program, tg_ops[e->inst->op].name,
            e->inst->loc, e->param, e->first);
    for (int d = 0; d < e->rank; d++)
        if (e->count[d] != 1) fprintf(out, " %" PRId64 "x%" PRId64, e->count[d], e->stride[d]);
    if (e->kind != TG_ACCESS_READ) {
        fputc('|', out);
        put_values(out, r->kernel->params[e->param].array.dtype, r->history->values + e->value_at,
                   e->value_count);
    }
    tg_emit_text_end(json);
}

static void put_log(tg_json_out *json, const tg_recording *r)
{
    tg_emit_int(json, "accesses", r->history->step);
    tg_emit_open(json, "log", '[');
    for (size_t i = 0; i < r->history->count; i++) put_entry(json, r, &r->history->entries[i]);
    tg_emit_close(json, ']');
}

static void put_places(tg_json_out *json, const tg_module *module)
{
    tg_emit_open(json, "places", '[');
    for (uint32_t i = 0; i < module->loc_count; i++) {
        const tg_loc *loc = &module->locs[i];
        tg_emit_open(json, NULL, '{');
        tg_emit_text(json, "file", loc->file);
        tg_emit_int(json, "line", loc->line);
        tg_emit_text(json, "function", loc->function);
        tg_emit_close(json, '}');
    }
    tg_emit_close(json, ']');
}

/* The elements whose history had room of its own. */
static void put_asked_for(tg_json_out *json, const tg_history *h)
{
    tg_emit_open(json, "asked_for", '[');
    for (size_t i = 0; i < h->asked_for_count; i++) {
        tg_emit_open(json, NULL, '[');
        tg_emit_int(json, NULL, h->asked_for[i].param);
        tg_emit_int(json, NULL, h->asked_for[i].first);
        tg_emit_int(json, NULL, h->asked_for[i].last);
        tg_emit_close(json, ']');
    }
    tg_emit_close(json, ']');
}

static void put_repeats(tg_json_out *json, const tg_run_request *request, const tg_report *report)
{
    char repeat[TG_CLI_REPEAT];
    tg_emit_open(json, "repeats", '[');
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        tg_cli_repeat(request, tg_report_finding(report, i).order, repeat);
        tg_emit_text(json, NULL, repeat);
    }
    tg_emit_close(json, ']');
}

void tg_page_data(tg_json_out *json, const tg_run_request *request, const tg_recording *recording,
                  const tg_report *report)
{
    tg_emit_open(json, NULL, '{');
    put_run(json, request, report);
    tg_emit_text(json, "kernel", recording->kernel->name);
    put_grid(json, recording);
    tg_emit_open(json, "params", '[');
    for (uint32_t p = 0; p < recording->kernel->param_count; p++) put_param(json, recording, p);
    tg_emit_close(json, ']');
    put_log(json, recording);
    put_places(json, recording->module);
    put_asked_for(json, recording->history);
    tg_emit_open(json, "findings", '[');
    for (size_t i = 0; i < tg_report_finding_count(report); i++)
        tg_cli_json_finding(json, report, i, NULL);
    tg_emit_close(json, ']');
    put_repeats(json, request, report);
    tg_page_sources(json, recording, report);
    tg_emit_close(json, '}');
}
