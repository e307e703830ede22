#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "cli/recording.h"

#include <stdlib.h>

#include "base/file.h"
#include "cli/page.h"
#include "cli/trace.h"

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
    text page, trace;
    bool is_recorded, has_findings;
    char left_out[TG_TRACE_LEFT_OUT];
} recorded;

typedef tg_status writer(FILE *out, const tg_run_request *request, const tg_recording *recording,
                         const tg_report *report);

static void forget(text *t)
{
    free(t->data);
    *t = (text){NULL, 0};
}

static tg_status render(text *t, writer *write, const tg_recording *recording,
                        const tg_report *report)
{
    text made = {NULL, 0};
    FILE *stream = open_memstream(&made.data, &made.size);
    if (!stream) return TG_ERR_NO_MEMORY;
    tg_status status = write(stream, recorded.request, recording, report);
    if (ferror(stream)) status = TG_ERR_NO_MEMORY;
    if (fclose(stream) != 0) status = TG_ERR_NO_MEMORY;
    if (status != TG_OK) {
        free(made.data);
        return status;
    }
    forget(t);
    *t = made;
    return TG_OK;
}

static tg_status render_all(const tg_recording *recording, const tg_report *report)
{
    if (recorded.request->html) TG_TRY(render(&recorded.page, tg_page_write, recording, report));
    if (recorded.request->trace) {
        TG_TRY(render(&recorded.trace, tg_trace_write, recording, report));
        tg_trace_left_out(recording, recorded.left_out);
    }
    recorded.is_recorded = true;
    recorded.has_findings = tg_report_finding_count(report) > 0;
    return TG_OK;
}

static tg_status run(void *context, const tg_module *module, const char *kernel,
                     const tg_array *arrays, size_t array_count, const tg_run_options *options,
                     tg_report **report, tg_errors *errors)
{
    tg_recording *recording;
    (void)context;
    TG_TRY(recorded.inner.run(recorded.inner.context, module, kernel, arrays, array_count, options,
                              report, errors));
    if (recorded.is_recorded && (recorded.has_findings || tg_report_finding_count(*report) == 0))
        return TG_OK;
    tg_status status = tg_record(module, kernel, arrays, array_count, options, *report, &limits,
                                 &recording, errors);
    if (status == TG_OK) status = render_all(recording, *report);
    tg_recording_free(recording);
    if (status == TG_OK) return TG_OK;
    tg_report_free(*report);
    *report = NULL;
    return status;
}

tg_run_hook tg_cli_recording_hook(const tg_run_request *request, tg_run_hook inner)
{
    recorded.request = request;
    recorded.inner = inner;
    return (tg_run_hook){sizeof inner, run, NULL};
}

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
