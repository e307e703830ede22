/* What a page knows, as JSON.  The log is one text per access, as it is by far the most of it. */
#include <inttypes.h>
#include <string.h>

#include "cli/findings.h"
#include "cli/memory_cost.h"
#include "cli/mesh.h"
#include "cli/page.h"
#include "cli/page_timeline.h"
#include "cli/repeat.h"
#include "tilegrind/arrays.h"

/* Values of all arrays before and after the run; each array gets its share. */
enum { MOST_CONTENTS = 200000 };

/* ---- values ---- */

/* Values in memory's format, separated by blanks, each told apart from any other but one NaN from
 * another. */
static void put_values(FILE *out, tg_dldtype dtype, const unsigned char *data, int64_t count)
{
    char value[TG_ELEMENT_TEXT];
    const size_t bytes = (dtype.bits + 7U) / 8U;
    for (int64_t i = 0; i < count; i++) {
        tg_element_text(dtype, data + (size_t)i * bytes, value, sizeof value);
        value[strcspn(value, " ")] = '\0'; /* without its bits */
        fprintf(out, "%s%s", i ? " " : "", value);
    }
}

/* The first elements of an array. */
static void put_contents(tg_json_out *json, const char *key, const tg_dltensor *array, int64_t most)
{
    int64_t count = 1;
    for (int d = 0; d < array->ndim; d++) count *= array->shape[d];
    FILE *out = tg_emit_text_begin(json, key);
    put_values(out, array->dtype, array->data, count < most ? count : most);
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

static void put_grid(tg_json_out *json, const tg_recording *r, size_t axes)
{
    tg_emit_open(json, "grid", '[');
    for (size_t a = 0; a < axes; a++) {
        const tg_record_axis axis = tg_recording_axis(r, a);
        tg_emit_open(json, NULL, '{');
        tg_emit_text(json, "name", axis.name);
        tg_emit_int(json, "size", axis.size);
        tg_emit_bool(json, "parallel", axis.is_parallel);
        tg_emit_bool(json, "thread", axis.is_thread);
        tg_emit_close(json, '}');
    }
    tg_emit_close(json, ']');
}

static void put_gap(tg_json_out *json, const tg_record_param *p)
{
    tg_emit_int(json, "accesses_left_out", p->accesses);
    tg_emit_int(json, "values_left_out", p->values);
    if (p->since >= 0) tg_emit_int(json, "gap_since", p->since);
    if (p->since_asked >= 0) tg_emit_int(json, "gap_since_asked_for", p->since_asked);
}

static void put_param(tg_json_out *json, const tg_record_param *p, int64_t most)
{
    const tg_dltensor *array = &p->array.tensor;
    const bool is_defined = strcmp(p->role, "input") == 0 || strcmp(p->role, "prefetch") == 0;
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "name", p->array.name);
    tg_emit_text(json, "role", p->role);
    tg_emit_text(json, "dtype", p->dtype);
    tg_emit_open(json, "shape", '[');
    for (int d = 0; d < array->ndim; d++) tg_emit_int(json, NULL, array->shape[d]);
    tg_emit_close(json, ']');
    tg_emit_int(json, "memory", (int64_t)p->memory);
    if (is_defined) put_contents(json, "before", array, most);
    if (strcmp(p->role, "output") == 0) put_contents(json, "after", array, most);
    put_gap(json, p);
    tg_emit_close(json, '}');
}

static void put_params(tg_json_out *json, const tg_recording *r, size_t count,
                       int64_t most_contents)
{
    tg_emit_open(json, "params", '[');
    for (size_t i = 0; i < count; i++) {
        const tg_record_param param = tg_recording_param(r, i);
        put_param(json, &param, most_contents / (2 * (int64_t)count));
    }
    tg_emit_close(json, ']');
}

/* ---- log ---- */

/* "STEP STEPS KIND PROGRAM OP PLACE MEMORY FIRST COUNTxSTRIDE...|VALUE VALUE..."; KIND is r, w or
 * a, followed by p where parts of elements are touched, PLACE numbers the locations of the module.
 */
static void put_access(tg_json_out *json, const tg_recording *r, const tg_record_access *a)
{
    const bool is_read = strcmp(a->kind, "read") == 0;
    FILE *out = tg_emit_text_begin(json, NULL);
    fprintf(out, "%" PRId64 " %" PRId64 " %c%s %" PRId64 " %s %zu %zu %" PRId64, a->step, a->steps,
            a->kind[0], a->is_part ? "p" : "", a->program, a->op, a->location, a->param, a->first);
    for (int d = 0; d < a->rank; d++)
        if (a->count[d] != 1) fprintf(out, " %" PRId64 "x%" PRId64, a->count[d], a->stride[d]);
    if (!is_read) {
        fputc('|', out);
        put_values(out, tg_recording_param(r, a->param).array.tensor.dtype, a->values,
                   a->value_count);
    }
    tg_emit_text_end(json);
}

static void put_log(tg_json_out *json, const tg_recording *r, const tg_recording_info *info)
{
    tg_emit_int(json, "accesses", info->steps);
    tg_emit_open(json, "log", '[');
    for (size_t i = 0; i < info->access_count; i++) {
        const tg_record_access access = tg_recording_access(r, i);
        put_access(json, r, &access);
    }
    tg_emit_close(json, ']');
}

static void put_places(tg_json_out *json, const tg_recording *r, size_t count)
{
    tg_emit_open(json, "places", '[');
    for (size_t i = 0; i < count; i++) {
        const tg_record_location place = tg_recording_location(r, i);
        tg_emit_open(json, NULL, '{');
        tg_emit_text(json, "file", place.file);
        tg_emit_int(json, "line", place.line);
        tg_emit_text(json, "function", place.function);
        tg_emit_close(json, '}');
    }
    tg_emit_close(json, ']');
}

/* The elements whose history had room of its own. */
static void put_asked_for(tg_json_out *json, const tg_recording *r, size_t count)
{
    tg_emit_open(json, "asked_for", '[');
    for (size_t i = 0; i < count; i++) {
        const tg_record_range range = tg_recording_asked(r, i);
        tg_emit_open(json, NULL, '[');
        tg_emit_int(json, NULL, (int64_t)range.param);
        tg_emit_int(json, NULL, range.first);
        tg_emit_int(json, NULL, range.last);
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

/* What one recording holds. */
static void put_recording(tg_json_out *json, const tg_recording *r, int64_t most_contents)
{
    const tg_recording_info info = tg_recording_describe(r);
    put_params(json, r, info.param_count, most_contents);
    put_log(json, r, &info);
    put_asked_for(json, r, info.asked_count);
    tg_page_timeline(json, r);
}

/* Those of the devices of a mesh, of which the page shows one at a time. */
static void put_devices(tg_json_out *json, const tg_cli_shown *shown)
{
    tg_emit_open(json, "devices", '[');
    for (size_t i = 0; i < shown->count; i++) {
        tg_emit_open(json, NULL, '{');
        tg_emit_int(json, "id", shown->devices[i]);
        tg_emit_text(json, "name", tg_cli_shown_device(shown, i));
        put_recording(json, shown->recordings[i], MOST_CONTENTS / (int64_t)shown->count);
        tg_emit_close(json, '}');
    }
    tg_emit_close(json, ']');
}

void tg_page_data(tg_json_out *json, const tg_cli_shown *shown)
{
    const tg_recording *first = shown->recordings[0];
    const tg_report *report = shown->report;
    const tg_recording_info info = tg_recording_describe(first);
    tg_emit_open(json, NULL, '{');
    put_run(json, shown->request, report);
    tg_emit_text(json, "kernel", info.kernel);
    put_grid(json, first, info.axis_count);
    put_places(json, first, info.location_count);
    if (tg_report_device_count(report))
        put_devices(json, shown);
    else
        put_recording(json, first, MOST_CONTENTS);
    tg_emit_open(json, "findings", '[');
    for (size_t i = 0; i < tg_report_finding_count(report); i++)
        tg_cli_json_finding(json, report, i, NULL);
    tg_emit_close(json, ']');
    put_repeats(json, shown->request, report);
    tg_cli_json_mesh(json, report);
    tg_cli_json_memory_cost(json, report);
    tg_page_sources(json, shown);
    tg_emit_close(json, '}');
}
