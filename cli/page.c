#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "cli/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* So that a page has at most some 20 MB. */
static const tg_record_limits limits = {sizeof limits, 100000, 500000};

/* Of the one request. */
static struct {
    const tg_run_request *request;
    tg_run_hook inner;
    char *data; /* JSON; NULL: no run has been recorded */
    size_t size;
    bool has_findings;
} page;

static tg_status render(const tg_recording *recording, const tg_report *report)
{
    char *data = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&data, &size);
    if (!stream) return TG_ERR_NO_MEMORY;
    tg_json_out json = {.out = stream, .is_in_html = true};
    tg_page_data(&json, page.request, recording, report);
    const bool is_whole = !ferror(stream);
    if (fclose(stream) != 0 || !is_whole) {
        free(data);
        return TG_ERR_NO_MEMORY;
    }
    free(page.data);
    page.data = data;
    page.size = size;
    page.has_findings = tg_report_finding_count(report) > 0;
    return TG_OK;
}

static tg_status run(void *context, const tg_module *module, const char *kernel,
                     const tg_array *arrays, size_t array_count, const tg_run_options *options,
                     tg_report **report, tg_errors *errors)
{
    tg_recording *recording;
    (void)context;
    TG_TRY(page.inner.run(page.inner.context, module, kernel, arrays, array_count, options, report,
                          errors));
    if (page.data && (page.has_findings || tg_report_finding_count(*report) == 0)) return TG_OK;
    tg_status status = tg_record(module, kernel, arrays, array_count, options, *report, &limits,
                                 &recording, errors);
    if (status == TG_OK) status = render(recording, *report);
    tg_recording_free(recording);
    if (status == TG_OK) return TG_OK;
    tg_report_free(*report);
    *report = NULL;
    return status;
}

tg_run_hook tg_cli_page_hook(const tg_run_request *request, tg_run_hook inner)
{
    page.request = request;
    page.inner = inner;
    return (tg_run_hook){sizeof inner, run, NULL};
}

/* The template with the data in their place. */
static void put_page(FILE *out)
{
    static const char mark[] = "@data@";
    const size_t length = sizeof mark - 1;
    size_t at = 0;
    while (memcmp(tg_page_html + at, mark, length) != 0) at++;
    fwrite(tg_page_html, 1, at, out);
    fwrite(page.data, 1, page.size, out);
    fwrite(tg_page_html + at + length, 1, tg_page_html_size - at - length, out);
}

tg_status tg_cli_page_finish(const tg_run_request *request, tg_diags *diags)
{
    tg_file_out out;
    if (!page.data) return TG_OK;
    tg_status status = tg_file_create(request->html, &out, diags);
    if (status == TG_OK) {
        put_page(out.stream);
        status = tg_file_commit(&out, diags);
    }
    free(page.data);
    page.data = NULL;
    return status;
}
