#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "cli/recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/page.h"
#include "cli/repeat.h"
#include "cli/shown.h"

/* So that a page has at most some 20 MB, and a trace twice as much. */
static const tg_record_limits limits = {
    .size = sizeof limits, .accesses = 100000, .values = 500000, .events = 100000};

/* A file that is yet to be written. */
typedef struct text {
    char *data; /* NULL: there is none */
    size_t size;
} text;

/* Of the one request. */
static struct {
    const tg_run_request *request;
    tg_run_hook inner;
    tg_mesh_hook on_mesh;
    text page, trace;
    bool is_recorded, has_findings;
    char left_out[TG_RECORD_LEFT_OUT];
} recorded;

static void forget(text *t)
{
    free(t->data);
    *t = (text){NULL, 0};
}

/* ---- files in memory ---- */

static tg_status render_page(const tg_cli_shown *shown)
{
    text made = {NULL, 0};
    FILE *stream = open_memstream(&made.data, &made.size);
    if (!stream) return TG_ERR_NO_MEMORY;
    tg_status status = tg_page_write(stream, shown);
    if (ferror(stream)) status = TG_ERR_NO_MEMORY;
    if (fclose(stream) != 0 || !made.data) status = TG_ERR_NO_MEMORY;
    if (status != TG_OK) {
        free(made.data);
        return status;
    }
    forget(&recorded.page);
    recorded.page = made;
    return TG_OK;
}

/* What the first recording lacks that lacks something. */
static void note_left_out(const tg_cli_shown *shown)
{
    recorded.left_out[0] = '\0';
    for (size_t i = 0; i < shown->count && !recorded.left_out[0]; i++) {
        tg_recording_left_out(shown->recordings[i], recorded.left_out, sizeof recorded.left_out);
        const char *device = tg_cli_shown_device(shown, i);
        const size_t used = strlen(recorded.left_out);
        if (used && device)
            snprintf(recorded.left_out + used, sizeof recorded.left_out - used, ", on %s", device);
    }
}

static tg_status render_trace(const tg_cli_shown *shown, tg_errors *errors)
{
    char repeat[TG_CLI_REPEAT];
    const char *order = tg_report_stats(shown->report).order;
    const tg_trace_about about = {order, repeat};
    tg_traced list[TG_MESH_RECORDED];
    tg_cli_repeat(shown->request, order, repeat);
    for (size_t i = 0; i < shown->count; i++)
        list[i] = (tg_traced){shown->recordings[i], tg_cli_shown_device(shown, i)};
    char *made = tg_trace_text(list, shown->count, &about, errors);
    if (!made) return TG_ERR_NO_MEMORY;
    forget(&recorded.trace);
    recorded.trace = (text){made, strlen(made)};
    note_left_out(shown);
    return TG_OK;
}

static tg_status render_all(const tg_cli_shown *shown, tg_errors *errors)
{
    if (shown->request->html) TG_TRY(render_page(shown));
    if (shown->request->trace) TG_TRY(render_trace(shown, errors));
    recorded.is_recorded = true;
    recorded.has_findings = tg_report_finding_count(shown->report) > 0;
    return TG_OK;
}

/* ---- runs ---- */

/* Of several runs the first with findings is shown, else the first. */
static bool is_wanted(const tg_report *report)
{
    return !recorded.is_recorded || (!recorded.has_findings && tg_report_finding_count(report) > 0);
}

static void free_recordings(tg_cli_shown *shown)
{
    for (size_t i = 0; i < shown->count; i++) tg_recording_free(shown->recordings[i]);
}

/* A run that cannot be shown has failed. */
static tg_status end(tg_cli_shown *shown, tg_status status, tg_report **report, tg_errors *errors)
{
    if (status == TG_OK) status = render_all(shown, errors);
    free_recordings(shown);
    if (status == TG_OK) return TG_OK;
    tg_report_free(*report);
    *report = NULL;
    return status;
}

static tg_status run(void *context, const tg_module *module, const char *kernel,
                     const tg_array *arrays, size_t array_count, const tg_run_options *options,
                     tg_report **report, tg_errors *errors)
{
    (void)context;
    TG_TRY(recorded.inner.run(recorded.inner.context, module, kernel, arrays, array_count, options,
                              report, errors));
    if (!is_wanted(*report)) return TG_OK;
    tg_cli_shown shown = {.request = recorded.request, .report = *report, .count = 1};
    const tg_status status = tg_record(module, kernel, arrays, array_count, options, *report,
                                       &limits, &shown.recordings[0], errors);
    return end(&shown, status, report, errors);
}

tg_run_hook tg_cli_recording_hook(const tg_run_request *request, tg_run_hook inner)
{
    recorded.request = request;
    recorded.inner = inner;
    return (tg_run_hook){sizeof inner, run, NULL};
}

/* All devices together have the room of one. */
static tg_record_limits share(size_t devices)
{
    tg_record_limits part = limits;
    part.accesses /= devices;
    part.values /= (int64_t)devices;
    part.events /= devices;
    return part;
}

static tg_status run_on_mesh(void *context, const tg_module *module, const char *kernel,
                             const tg_arrays *inputs, const tg_mesh_options *mesh,
                             const tg_run_options *options, tg_arrays *outputs, tg_report **report,
                             tg_errors *errors)
{
    tg_status status = TG_OK;
    (void)context;
    TG_TRY(recorded.on_mesh.run(recorded.on_mesh.context, module, kernel, inputs, mesh, options,
                                outputs, report, errors));
    if (!is_wanted(*report)) return TG_OK;
    tg_cli_shown shown = {.request = recorded.request, .report = *report};
    shown.count = tg_mesh_devices_to_record(*report, shown.devices, TG_MESH_RECORDED);
    const tg_record_limits part = share(shown.count);
    for (size_t i = 0; i < shown.count && status == TG_OK; i++)
        status = tg_mesh_record(module, kernel, inputs, mesh, shown.devices[i], options, *report,
                                &part, &shown.recordings[i], errors);
    return end(&shown, status, report, errors);
}

tg_mesh_hook tg_cli_recording_mesh_hook(const tg_run_request *request, tg_mesh_hook inner)
{
    recorded.request = request;
    recorded.on_mesh = inner;
    return (tg_mesh_hook){sizeof inner, run_on_mesh, NULL};
}

/* ---- files ---- */

static tg_status write_text(const text *t, const char *path, tg_diags *diags)
{
    tg_file_out out;
    if (!t->data) return TG_OK;
    TG_TRY(tg_file_create(path, &out, diags));
    fwrite(t->data, 1, t->size, out.stream);
    return tg_file_commit(&out, diags);
}

tg_status tg_cli_recording_finish(const tg_run_request *request, tg_diags *diags)
{
    tg_status status = write_text(&recorded.page, request->html, diags);
    if (status == TG_OK) status = write_text(&recorded.trace, request->trace, diags);
    if (status == TG_OK && recorded.trace.data && recorded.left_out[0])
        fprintf(stderr, "%s: %s\n", request->trace, recorded.left_out);
    forget(&recorded.page);
    forget(&recorded.trace);
    return status;
}
