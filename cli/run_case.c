/* tilegrind run CASE: a case in each of its orders, held against what it expects. */
#include "cli/run_case.h"

#include "cli/command.h"
#include "cli/coverage.h"
#include "cli/memory_cost.h"
#include "cli/errors.h"
#include "cli/mesh.h"
#include "cli/mesh_run.h"
#include "cli/recording.h"
#include "cli/run_report.h"
#include "cli/run_watch.h"
#include "cli/style.h"
#include "tilegrind/case.h"

enum { INDEX_TEXT = 192 }; /* room for an index, and for an element */

/* What the orders of one case share. */
typedef struct case_session {
    const tg_run_request *request;
    const tg_case *c;
    tg_json_out *json; /* NULL for text */
    tg_case_info info;
    tg_case_run
        *first; /* kept for --out, and for the bits of further orders; NULL: none ran so far */
    bool failed;
    tg_cli_reports reports;
    tg_diags diags;
} case_session;

static const char *verdict(const case_session *s, const tg_case_output *out)
{
    if (!out->is_expected) return "nothing is expected of it";
    if (out->comparison.agree) return out->comparison.differing ? "within tolerance" : "";
    return s->info.is_exact ? "not as expected" : "outside the tolerance";
}

static void print_output(const case_session *s, const tg_case_output *out)
{
    char line[TG_COMPARISON_TEXT] = "";
    tg_style style = tg_style_for(stdout);
    const char *text = verdict(s, out);
    bool bad = out->is_expected && !out->comparison.agree;
    if (out->is_expected)
        tg_comparison_text(&out->comparison, &out->got, &out->want, line, sizeof line);
    fputs("  ", stdout);
    tg_put_clean(stdout, out->got.name);
    printf(": %s%s%s%s%s\n", line, line[0] && text[0] ? ": " : "", bad ? style.bad : "", text,
           bad ? style.off : "");
}

/* The expected findings that were not made. */
static void print_absent(const case_session *s, const tg_case_verdict *v)
{
    if (v->absent) printf("  %zu of the findings that the case expects are absent\n", v->absent);
    if (!v->unexpected && s->info.finding_count && !v->absent)
        puts("  the findings are those that the case expects");
}

static size_t output_count(const tg_case_run *run)
{
    return tg_arrays_count(tg_case_run_outputs(run));
}

/* What is said of one order. */
typedef struct verdict_on {
    const tg_case_run *run;
    tg_case_verdict of_case;
    tg_cli_tally tally;
    bool passed; /* outputs as expected, findings too but for those that are not to count */
    const char *difference; /* an output with other bits than in the first order, or NULL */
} verdict_on;

static bool outputs_agree(const tg_case_run *run)
{
    for (size_t i = 0; i < output_count(run); i++) {
        const tg_case_output out = tg_case_run_output(run, i);
        if (out.is_expected && !out.comparison.agree) return false;
    }
    return true;
}

static verdict_on judge(case_session *s, const tg_case_run *run)
{
    verdict_on v = {.run = run, .of_case = tg_case_run_verdict(run)};
    v.tally = tg_cli_reports_add(&s->reports, s->info.kernel, s->c, tg_case_run_report(run));
    v.passed = !v.tally.failing && !v.of_case.absent && outputs_agree(run);
    v.difference = s->first ? tg_case_run_difference(s->first, run) : NULL;
    return v;
}

static void print_run(const case_session *s, const verdict_on *v)
{
    const tg_report *report = tg_case_run_report(v->run);
    tg_style style = tg_style_for(stdout);
    tg_cli_print_findings(&s->reports, report);
    tg_cli_print_stats(s->request, report);
    printf("%s%s%s", v->passed ? style.good : style.bad,
           v->passed ? "as expected" : "not as expected", style.off);
    tg_cli_print_suppressed(&s->reports, &v->tally);
    putchar('\n');
    tg_cli_print_mesh(report);
    tg_cli_print_coverage(report);
    tg_cli_print_memory_cost(report);
    print_absent(s, &v->of_case);
    for (size_t i = 0; i < output_count(v->run); i++) {
        const tg_case_output out = tg_case_run_output(v->run, i);
        print_output(s, &out);
    }
    if (v->difference)
        printf("  %s: its bits differ from those of order %s\n", v->difference,
               tg_report_stats(tg_case_run_report(s->first)).order);
}

/* The element that differs most. */
static void json_worst(tg_json_out *json, const tg_case_output *out)
{
    char text[INDEX_TEXT];
    const tg_comparison *c = &out->comparison;
    /* A NaN against a number is farther than any count of steps. */
    tg_emit_int(json, "worst_ulps", c->worst_ulps > INT64_MAX ? -1 : (int64_t)c->worst_ulps);
    tg_emit_text(json, "worst_at", tg_array_index_text(&out->got, c->worst, text, sizeof text));
    tg_emit_text(json, "got", tg_array_element_text(&out->got, c->worst, text, sizeof text));
    tg_emit_text(json, "want", tg_array_element_text(&out->want, c->worst, text, sizeof text));
}

static void json_output(tg_json_out *json, const tg_case_output *out)
{
    char text[TG_COMPARISON_TEXT];
    const tg_comparison *c = &out->comparison;
    tg_emit_open(json, NULL, '{');
    tg_emit_text(json, "name", out->got.name);
    tg_emit_bool(json, "expected", out->is_expected);
    if (out->is_expected) {
        tg_emit_bool(json, "agrees", c->agree);
        tg_emit_int(json, "count", c->count);
        tg_emit_int(json, "differing", c->differing);
        tg_emit_int(json, "failing", c->failing);
        tg_emit_text(json, "summary",
                     tg_comparison_text(c, &out->got, &out->want, text, sizeof text));
    }
    if (out->is_expected && c->worst >= 0) json_worst(json, out);
    tg_emit_close(json, '}');
}

static void json_run(case_session *s, const verdict_on *v)
{
    tg_emit_open(s->json, NULL, '{');
    tg_cli_json_run(s->json, &s->reports, tg_case_run_report(v->run), &v->tally);
    tg_emit_bool(s->json, "passed", v->passed);
    tg_emit_int(s->json, "unexpected_findings", (int64_t)v->tally.unexpected);
    tg_emit_int(s->json, "absent_findings", (int64_t)v->of_case.absent);
    tg_emit_bool(s->json, "same_bits_as_first", !v->difference);
    tg_emit_open(s->json, "outputs", '[');
    for (size_t i = 0; i < output_count(v->run); i++) {
        const tg_case_output out = tg_case_run_output(v->run, i);
        json_output(s->json, &out);
    }
    tg_emit_close(s->json, ']');
    tg_emit_close(s->json, '}');
}

/* An order that was stopped: what it had found until then. */
static void tell_stopped(case_session *s, const tg_report *report)
{
    const tg_cli_tally tally = tg_cli_reports_add(&s->reports, s->info.kernel, s->c, report);
    if (s->json) {
        tg_emit_open(s->json, NULL, '{');
        tg_cli_json_run(s->json, &s->reports, report, &tally);
        tg_emit_bool(s->json, "passed", false);
        tg_emit_close(s->json, '}');
        return;
    }
    tg_cli_print_findings(&s->reports, report);
    tg_cli_print_stats(s->request, report);
    puts("stopped");
}

static tg_status run_one(case_session *s, const tg_run_options *options, tg_case_run **run,
                         tg_errors *errors)
{
    tg_mesh_sharding list[TG_CLI_MAX_SHARDINGS];
    if (!tg_cli_is_on_mesh(s->request)) {
        const tg_run_hook hook = tg_cli_run_hook(s->request);
        return tg_case_run_new(s->c, options, &hook, run, errors);
    }
    const tg_mesh_options mesh = tg_cli_mesh_options(s->request, list);
    const tg_mesh_hook hook = tg_cli_mesh_hook(s->request);
    return tg_case_run_on_mesh(s->c, &mesh, options, &hook, run, errors);
}

static tg_status run_order(case_session *s, const char *order)
{
    tg_run_watch watch;
    tg_case_run *run;
    tg_errors *errors = tg_errors_new();
    tg_run_options options = tg_run_options_of(s->request, &watch);
    options.order = order;
    const tg_status status = run_one(s, &options, &run, errors);
    tg_progress_end(&watch.progress);
    tg_cli_collect(&s->diags, errors, status);
    if (status == TG_ERR_STOPPED && run) tell_stopped(s, tg_case_run_report(run));
    if (status == TG_OK) {
        const verdict_on v = judge(s, run);
        if (s->json)
            json_run(s, &v);
        else
            print_run(s, &v);
        s->failed = s->failed || !v.passed;
    }
    if (status == TG_OK && !s->first)
        s->first = run;
    else
        tg_case_run_free(run);
    return status;
}

/* The order asked for, else those of the case, else the sequential one. */
static tg_status run_orders(case_session *s)
{
    const char *only = s->request->order;
    if (s->request->is_check || (!only && s->info.order_count == 0)) only = "sequential";
    if (only) return run_order(s, only);
    for (size_t i = 0; i < s->info.order_count; i++) TG_TRY(run_order(s, tg_case_order(s->c, i)));
    return TG_OK;
}

static tg_status write_outputs(case_session *s)
{
    tg_errors *errors = tg_errors_new();
    const tg_arrays *outputs = tg_case_run_outputs(s->first);
    return tg_cli_collect(&s->diags, errors, tg_arrays_write(outputs, s->request->out, errors));
}

static tg_status run_all(case_session *s)
{
    const char *out = s->request->out;
    TG_TRY(tg_cli_reports_begin(&s->reports, s->request, &s->diags));
    if (out && !tg_arrays_can_read(out))
        return tg_fail(&s->diags, TG_ERR_USAGE, NULL,
                       "--out %s: the name must end in .npz, .safetensors or .npy", out);
    tg_case *c;
    tg_errors *errors = tg_errors_new();
    const bool is_on_mesh = tg_cli_is_on_mesh(s->request);
    tg_status status = is_on_mesh ? tg_case_open_on_mesh(s->request->path, &c, errors)
                                  : tg_case_open(s->request->path, &c, errors);
    TG_TRY(tg_cli_collect(&s->diags, errors, status));
    s->c = c;
    s->info = tg_case_describe(c);
    if (!s->json && s->info.name) printf("case %s\n", s->info.name);
    if (s->json) tg_emit_text(s->json, "case", s->info.name);
    if (s->json) tg_emit_open(s->json, "runs", '[');
    status = run_orders(s);
    if (s->json) tg_emit_close(s->json, ']');
    if (status == TG_OK) status = tg_cli_recording_finish(s->request, &s->diags);
    if (status == TG_OK && out) status = write_outputs(s);
    tg_case_run_free(s->first);
    tg_case_close(c);
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
