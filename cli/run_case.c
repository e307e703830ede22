/* tilegrind run CASE: a case in each of its orders, held against what it expects. */
#include "cli/run_case.h"

#include "cli/command.h"
#include "cli/coverage.h"
#include "cli/errors.h"
#include "cli/page.h"
#include "cli/run_report.h"
#include "cli/run_watch.h"
#include "cli/style.h"
#include "crosscheck/run_case.h"
#include "loaders/tensor_file.h"

/* What the orders of one case share. */
typedef struct case_session {
    const tg_run_request *request;
    const tg_case *c;
    tg_json_out *json; /* NULL for text */
    tg_case_run first; /* kept for --out, and for the bits of further orders */
    bool has_first, failed;
    tg_cli_reports reports;
    tg_diags diags;
} case_session;

static const char *verdict(const case_session *s, const tg_output_check *check)
{
    if (!check->want) return "nothing is expected of it";
    if (check->comparison.agree) return check->comparison.differing ? "within tolerance" : "";
    return s->c->compare.kind == TG_TOLERANCE_BITS ? "not as expected" : "outside the tolerance";
}

static void print_check(const case_session *s, const tg_output_check *check)
{
    char line[TG_COMPARISON_TEXT] = "";
    tg_style style = tg_style_for(stdout);
    const char *text = verdict(s, check);
    bool bad = check->want && !check->comparison.agree;
    if (check->want) tg_comparison_print(&check->comparison, check->got, check->want, line);
    fputs("  ", stdout);
    tg_put_clean(stdout, check->name);
    printf(": %s%s%s%s%s\n", line, line[0] && text[0] ? ": " : "", bad ? style.bad : "", text,
           bad ? style.off : "");
}

/* The expected findings that were not made. */
static void print_absent(const case_session *s, const tg_case_run *run)
{
    if (run->absent)
        printf("  %zu of the findings that the case expects are absent\n", run->absent);
    if (!run->unexpected && s->c->finding_count && !run->absent)
        puts("  the findings are those that the case expects");
}

/* What is said of one order. */
typedef struct verdict_on {
    const tg_case_run *run;
    tg_cli_tally tally;
    bool passed; /* outputs as expected, findings too but for those that are not to count */
    const char *difference; /* an output with other bits than in the first order, or NULL */
} verdict_on;

static bool outputs_agree(const tg_case_run *run)
{
    for (size_t i = 0; i < run->check_count; i++)
        if (run->checks[i].want && !run->checks[i].comparison.agree) return false;
    return true;
}

static verdict_on judge(case_session *s, const tg_case_run *run)
{
    verdict_on v = {.run = run};
    v.tally = tg_cli_reports_add(&s->reports, s->c->kernel->name, s->c, run->report);
    v.passed = !v.tally.failing && !run->absent && outputs_agree(run);
    v.difference = s->has_first ? tg_case_first_difference(&s->first, run) : NULL;
    return v;
}

static void print_run(const case_session *s, const verdict_on *v)
{
    const tg_case_run *run = v->run;
    tg_style style = tg_style_for(stdout);
    tg_run_stats stats = tg_report_stats(run->report);
    tg_cli_print_findings(&s->reports, run->report);
    tg_cli_print_stats(s->request, &stats);
    printf("%s%s%s", v->passed ? style.good : style.bad,
           v->passed ? "as expected" : "not as expected", style.off);
    tg_cli_print_suppressed(&s->reports, &v->tally);
    putchar('\n');
    tg_cli_print_coverage(run->report);
    print_absent(s, run);
    for (size_t i = 0; i < run->check_count; i++) print_check(s, &run->checks[i]);
    if (v->difference)
        printf("  %s: its bits differ from those of order %s\n", v->difference,
               tg_report_stats(s->first.report).order);
}

static void json_check(tg_json_out *json, const tg_output_check *check)
{
    char text[TG_COMPARISON_TEXT], got[TG_ELEMENT_TEXT], want[TG_ELEMENT_TEXT],
        index[TG_INDEX_TEXT];
    const tg_comparison *c = &check->comparison;
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "name", check->name);
    tg_emit_bool(json, "expected", check->want != NULL);
    if (check->want) {
        tg_emit_bool(json, "agrees", c->agree);
        tg_emit_int(json, "count", c->count);
        tg_emit_int(json, "differing", c->differing);
        tg_emit_int(json, "failing", c->failing);
        tg_emit_text(json, "summary", tg_comparison_print(c, check->got, check->want, text));
    }
    if (check->want && c->worst >= 0) {
        tg_dtype dtype = check->got->type.dtype;
        size_t at = (size_t)c->worst * tg_dtypes[dtype].bytes;
        /* A NaN against a number is farther than any count of steps. */
        tg_emit_int(json, "worst_ulps", c->worst_ulps > INT64_MAX ? -1 : (int64_t)c->worst_ulps);
        tg_emit_text(json, "worst_at", tg_index_print(&check->got->type, c->worst, index));
        tg_emit_text(json, "got",
                     tg_element_print(dtype, (const char *)check->got->data + at, got));
        tg_emit_text(json, "want",
                     tg_element_print(dtype, (const char *)check->want->data + at, want));
    }
    tg_emit_close(json, '}');
}

static void json_run(case_session *s, const verdict_on *v)
{
    const tg_case_run *run = v->run;
    tg_emit_open(s->json, NULL, '{');
    tg_cli_json_run(s->json, &s->reports, run->report, &v->tally);
    tg_emit_bool(s->json, "passed", v->passed);
    tg_emit_int(s->json, "unexpected_findings", (int64_t)v->tally.unexpected);
    tg_emit_int(s->json, "absent_findings", (int64_t)run->absent);
    tg_emit_bool(s->json, "same_bits_as_first", !v->difference);
    tg_emit_open(s->json, "outputs", '[');
    for (size_t i = 0; i < run->check_count; i++) json_check(s->json, &run->checks[i]);
    tg_emit_close(s->json, ']');
    tg_emit_close(s->json, '}');
}

/* An order that was stopped: what it had found until then. */
static void tell_stopped(case_session *s, const tg_report *report)
{
    const tg_cli_tally tally = tg_cli_reports_add(&s->reports, s->c->kernel->name, s->c, report);
    const tg_run_stats stats = tg_report_stats(report);
    if (s->json) {
        tg_emit_open(s->json, NULL, '{');
        tg_cli_json_run(s->json, &s->reports, report, &tally);
        tg_emit_bool(s->json, "passed", false);
        tg_emit_close(s->json, '}');
        return;
    }
    tg_cli_print_findings(&s->reports, report);
    tg_cli_print_stats(s->request, &stats);
    puts("stopped");
}

static tg_status run_order(case_session *s, const char *order)
{
    tg_run_watch watch;
    tg_case_run run;
    tg_run_options options = tg_run_options_of(s->request, &watch);
    options.order = order;
    tg_status status =
        tg_case_run_once(tg_cli_run_function(s->request), s->c, &options, &run, &s->diags);
    tg_progress_end(&watch.progress);
    if (status == TG_ERR_STOPPED && run.report) tell_stopped(s, run.report);
    if (status == TG_OK) {
        const verdict_on v = judge(s, &run);
        if (s->json)
            json_run(s, &v);
        else
            print_run(s, &v);
        s->failed = s->failed || !v.passed;
    }
    if (status == TG_OK && !s->has_first) {
        s->first = run;
        s->has_first = true;
    } else {
        tg_case_run_free(&run);
    }
    return status;
}

/* The order asked for, else those of the case, else the sequential one. */
static tg_status run_orders(case_session *s)
{
    const char *only = s->request->order;
    if (s->request->is_check || (!only && s->c->order_count == 0)) only = "sequential";
    if (only) return run_order(s, only);
    for (size_t i = 0; i < s->c->order_count; i++) TG_TRY(run_order(s, s->c->orders[i]));
    return TG_OK;
}

static tg_status run_all(case_session *s)
{
    const char *out = s->request->out;
    TG_TRY(tg_cli_reports_begin(&s->reports, s->request, &s->diags));
    if (out && !tg_tensor_file_known(out))
        return tg_fail(&s->diags, TG_ERR_USAGE, NULL,
                       "--out %s: the name must end in .npz, .safetensors or .npy", out);
    tg_case *c;
    tg_status status = tg_case_open(s->request->path, &c, &s->diags);
    if (status != TG_OK) return status;
    s->c = c;
    if (!s->json && c->name) printf("case %s\n", c->name);
    if (s->json) tg_emit_text(s->json, "case", c->name);
    if (s->json) tg_emit_open(s->json, "runs", '[');
    status = run_orders(s);
    if (s->json) tg_emit_close(s->json, ']');
    if (status == TG_OK) status = tg_cli_page_finish(s->request, &s->diags);
    if (status == TG_OK && out) status = tg_tensor_file_save(out, &s->first.outputs, &s->diags);
    tg_case_run_free(&s->first);
    tg_case_free(c);
    return status;
}

static int exit_code(const case_session *s, tg_status status)
{
    if (status != TG_OK) return tg_status_exit(status);
    return s->failed ? TG_EXIT_FINDINGS : TG_EXIT_CLEAN;
}

int tg_cli_run_case(const tg_run_request *request)
{
    tg_json_out json = {.out = stdout};
    case_session s = {.request = request, .json = request->as_json ? &json : NULL};
    if (s.json) {
        tg_emit_open(&json, NULL, '{');
        tg_emit_text(&json, "tilegrind", tg_version());
        tg_emit_text(&json, "file", request->path);
    }
    tg_status status = run_all(&s);
    const tg_status written = tg_cli_reports_finish(&s.reports, exit_code(&s, status), &s.diags);
    if (status == TG_OK) status = written;
    const int code = exit_code(&s, status);
    if (s.json) {
        tg_cli_reports_json(&s.reports, &json);
        tg_emit_text(&json, "status", tg_status_name(status));
        tg_cli_json_diags(&json, &s.diags);
        tg_emit_int(&json, "exit", code);
        tg_emit_close(&json, '}');
    } else {
        tg_cli_reports_print(&s.reports);
        tg_cli_print_diags(&s.diags);
    }
    tg_cli_reports_free(&s.reports);
    tg_diags_free(&s.diags);
    return code;
}
