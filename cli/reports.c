#include "cli/reports.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/findings.h"
#include "cli/repeat.h"
#include "cli/style.h"

/* ---- levels ---- */

static const char *const levels[] = {"advice", "note", "warning", "error", "never"};
enum { LEVEL_COUNT = sizeof levels / sizeof *levels };

static int rank_of(const char *level)
{
    int rank = 0;
    while (rank < LEVEL_COUNT && strcmp(levels[rank], level) != 0) rank++;
    return rank;
}

bool tg_cli_is_level(const char *name) { return rank_of(name) < LEVEL_COUNT; }

const char *tg_cli_least_level(const tg_run_request *request)
{
    return request->fail_on ? request->fail_on : "note";
}

static bool is_failing(const tg_run_request *request, const tg_finding *f)
{
    return rank_of(f->level) >= rank_of(tg_cli_least_level(request));
}

/* ---- suppressions ---- */

static tg_status no_memory(tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory for suppressions");
}

static tg_status read_known(tg_cli_reports *r, tg_diags *diags)
{
    tg_status worst = TG_OK;
    tg_errors *errors = tg_errors_new();
    r->known = tg_suppressions_new();
    for (size_t i = 0; errors && r->known && i < r->request->suppression_count; i++) {
        const tg_status status =
            tg_suppressions_add_file(r->known, r->request->suppressions[i], errors);
        if (worst == TG_OK) worst = status;
    }
    for (size_t i = 0; errors && i < tg_errors_count(errors); i++) {
        const tg_error error = tg_errors_get(errors, i);
        tg_diags_set_file(diags, error.file);
        tg_fail(diags, error.status, NULL, "%s", error.message);
    }
    tg_diags_set_file(diags, NULL);
    const bool is_ready = errors && r->known;
    tg_errors_free(errors);
    if (!is_ready) return no_memory(diags);
    const size_t count = tg_suppressions_count(r->known) + 1;
    r->uses = calloc(count, sizeof *r->uses);
    r->is_concerned = calloc(count, sizeof *r->is_concerned);
    return worst != TG_OK ? worst : r->uses && r->is_concerned ? TG_OK : no_memory(diags);
}

bool tg_cli_is_known(const tg_cli_reports *r, const tg_report *report, size_t index,
                     tg_suppression *out)
{
    const size_t found = r->known ? tg_suppressions_find(r->known, report, index) : 0;
    if (!r->known || found == tg_suppressions_count(r->known)) return false;
    *out = tg_suppressions_get(r->known, found);
    return true;
}

static void count_uses(tg_cli_reports *r, const char *kernel, const tg_report *report)
{
    for (size_t s = 0; r->known && s < tg_suppressions_count(r->known); s++)
        r->is_concerned[s] = r->is_concerned[s] || tg_suppressions_concern(r->known, s, kernel);
    for (size_t i = 0; r->known && i < tg_report_finding_count(report); i++) {
        const size_t found = tg_suppressions_find(r->known, report, i);
        if (found < tg_suppressions_count(r->known)) r->uses[found]++;
    }
}

static void add_block(tg_cli_reports *r, const tg_report *report, size_t index)
{
    char *block = tg_suppression_for(report, index);
    if (block && tg_seen_add(&r->seen, tg_number_with(TG_NUMBER_OF_NOTHING, block)))
        tg_text_put(&r->blocks, block);
    r->blocks.failed = r->blocks.failed || !block;
    tg_text_free(block);
}

/* ---- runs ---- */

tg_status tg_cli_reports_begin(tg_cli_reports *r, const tg_run_request *request, tg_diags *diags)
{
    *r = (tg_cli_reports){.request = request};
    if (request->suppression_count) TG_TRY(read_known(r, diags));
    if (!request->sarif) return TG_OK;
    tg_sarif *log = malloc(sizeof *log);
    if (!log) return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory for %s", request->sarif);
    const tg_status status = tg_sarif_begin(log, request->sarif, request, diags);
    if (status == TG_OK)
        r->sarif = log;
    else
        free(log);
    return status;
}

tg_cli_tally tg_cli_reports_add(tg_cli_reports *r, const char *kernel, const tg_case *c,
                                const tg_report *report)
{
    char repeat[TG_CLI_REPEAT];
    tg_cli_tally tally = {0};
    count_uses(r, kernel, report);
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        tg_suppression by;
        const tg_finding f = tg_report_finding(report, i);
        const bool is_known = tg_cli_is_known(r, report, i, &by);
        const bool is_unexpected = !is_known && (!c || !tg_case_expects(c, report, i));
        tally.suppressed += is_known;
        tally.left += !is_known;
        tally.unexpected += is_unexpected;
        tally.failing += is_unexpected && is_failing(r->request, &f);
        if (r->sarif) {
            tg_cli_repeat(r->request, f.order, repeat);
            tg_sarif_add(r->sarif, report, i, repeat, is_known ? &by : NULL);
        }
        if (r->request->gen_suppressions && !is_known) add_block(r, report, i);
    }
    return tally;
}

/* ---- the end ---- */

static bool goes_to_stdout(const tg_run_request *request)
{
    return request->gen_suppressions && strcmp(request->gen_suppressions, "-") == 0;
}

static tg_status write_blocks(const tg_cli_reports *r, tg_diags *diags)
{
    tg_file_out out;
    if (r->blocks.failed) return no_memory(diags);
    if (goes_to_stdout(r->request)) return TG_OK;
    TG_TRY(tg_file_create(r->request->gen_suppressions, &out, diags));
    fputs("# Findings that are known, as tilegrind --suppressions reads them.\n", out.stream);
    if (r->blocks.data) fputs(r->blocks.data, out.stream);
    return tg_file_commit(&out, diags);
}

tg_status tg_cli_reports_finish(tg_cli_reports *r, int exit_code, tg_diags *diags)
{
    tg_status status = TG_OK;
    const bool was_good = diags->count == 0;
    if (r->sarif) {
        status = tg_sarif_finish(r->sarif, exit_code, diags);
        free(r->sarif);
        r->sarif = NULL;
    }
    if (r->request->gen_suppressions && was_good) {
        const tg_status written = write_blocks(r, diags);
        if (status == TG_OK) status = written;
    }
    return status;
}

void tg_cli_reports_print(const tg_cli_reports *r)
{
    const size_t count = r->known && r->uses ? tg_suppressions_count(r->known) : 0;
    for (size_t i = 0; i < count; i++) {
        char number[TG_NUMBER_TEXT];
        const tg_suppression s = tg_suppressions_get(r->known, i);
        if (!r->uses[i] && !r->is_concerned[i]) continue;
        fputs(r->uses[i] ? "  suppressed by " : "  note: nothing is suppressed by ", stdout);
        tg_put_clean(stdout, s.file);
        printf(":%" PRId64 ": ", s.line);
        tg_put_clean(stdout, s.name);
        if (r->uses[i]) printf(": %s", tg_number_text((int64_t)r->uses[i], number));
        putchar('\n');
    }
    if (goes_to_stdout(r->request) && r->blocks.data) fputs(r->blocks.data, stdout);
}

void tg_cli_reports_json(const tg_cli_reports *r, tg_json_out *json)
{
    if (!r->known || !r->uses) return;
    tg_emit_open(json, "suppressions", '[');
    for (size_t i = 0; i < tg_suppressions_count(r->known); i++) {
        const tg_suppression s = tg_suppressions_get(r->known, i);
        tg_emit_open(json, NULL, '{');
        tg_cli_json_suppression(json, &s);
        tg_emit_int(json, "uses", (int64_t)r->uses[i]);
        tg_emit_close(json, '}');
    }
    tg_emit_close(json, ']');
}

void tg_cli_reports_free(tg_cli_reports *r)
{
    if (r->sarif) tg_sarif_discard(r->sarif);
    free(r->sarif);
    tg_suppressions_free(r->known);
    free(r->uses);
    free(r->is_concerned);
    tg_text_drop(&r->blocks);
    tg_seen_free(&r->seen);
}
