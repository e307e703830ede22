#include "random/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"
#include "base/text.h"
#include "base/float_env.h"

static void take_text(void *context, const char *text) { tg_text_put(context, text); }

/* False, noted, where a finding says more than that nobody wrote an output. */
static bool finding_is_fine(random_outcome *out, const char *kind, const char *message)
{
    if (strcmp(kind, "output-unwritten") == 0) return true;
    snprintf(out->why, sizeof out->why, "%s: %s", kind, message);
    return false;
}

static void note_error(random_outcome *out, tg_status status, const char *message)
{
    snprintf(out->why, sizeof out->why, "%s", message ? message : tg_status_text(status));
}

/* ---- the public interface ---- */

static bool report_is_fine(random_outcome *out, const tg_report *report)
{
    bool is_fine = true;
    for (size_t f = 0; is_fine && f < tg_report_finding_count(report); f++) {
        tg_finding finding = tg_report_finding(report, f);
        is_fine = finding_is_fine(out, finding.kind, finding.message);
    }
    return is_fine;
}

random_outcome random_run(const tg_module *module, const tg_array *arrays, size_t count,
                          const random_variant *v)
{
    tg_report *report;
    tg_errors *errors = tg_errors_new();
    tg_text text = {0};
    tg_run_options options = {.size = sizeof options,
                              .order = v->order,
                              .isa = v->isa,
                              .profile = v->profile,
                              .print = take_text,
                              .context = &text,
                              .backend = v->backend,
                              .layouts = v->layouts};
    tg_status status = tg_run(module, NULL, arrays, count, &options, &report, errors);
    random_outcome out = {.took_place = status == TG_OK};
    out.is_refused = v->backend && status == TG_ERR_UNSUPPORTED;
    const bool is_absent = (v->isa && status == TG_ERR_USAGE) || out.is_refused ||
                           (strcmp(v->profile, "fast") == 0 && status == TG_ERR_UNSUPPORTED);
    if (status != TG_OK)
        note_error(&out, status, tg_errors_count(errors) ? tg_errors_get(errors, 0).message : NULL);
    out.holds = status == TG_OK ? report_is_fine(&out, report) : is_absent;
    if (status == TG_OK) tg_report_free(report);
    tg_errors_free(errors);
    out.printed = tg_text_finish(&text);
    return out;
}

/* ---- a plan ---- */

static tg_status run_with(const tg_run_settings *settings, void *const *data, tg_findings *findings,
                          tg_diags *diags)
{
    tg_runner *runner;
    tg_run_result result;
    tg_environment saved = tg_environment_enter();
    tg_status status = tg_runner_new(settings, &runner, diags);
    tg_environment_leave(saved);
    if (status == TG_OK) status = tg_runner_run(runner, data, NULL, findings, &result, diags);
    tg_runner_free(runner);
    return status;
}

/* NULL where this machine lacks it. */
static const tg_elementwise *lanes_of(const random_variant *v)
{
    const char *missing;
    const tg_elementwise *lanes = tg_elementwise_get(v->isa);
    return lanes && strcmp(v->profile, "fast") == 0 ? tg_elementwise_fast(lanes, &missing) : lanes;
}

static random_outcome run_planned(tg_run_settings *settings, void *const *data,
                                  const random_variant *v, tg_findings *findings, tg_diags *diags)
{
    tg_text text = {0};
    random_outcome out = {0};
    settings->print = take_text;
    settings->context = &text;
    tg_status status = tg_order_parse(v->order, &settings->order, diags);
    if (status == TG_OK) status = run_with(settings, data, findings, diags);
    out.took_place = out.holds = status == TG_OK;
    if (status != TG_OK) note_error(&out, status, diags->count ? diags->list[0].message : NULL);
    for (size_t f = 0; out.holds && f < findings->count; f++)
        out.holds = finding_is_fine(&out, tg_finding_infos[findings->list[f].kind].name,
                                    findings->list[f].message);
    out.printed = tg_text_finish(&text);
    return out;
}

random_outcome random_run_plan(const tg_plan *plan, void *const *data, const random_variant *v)
{
    enum { MOST_FINDINGS = 100 };
    tg_run_settings settings = {.plan = plan, .elementwise = lanes_of(v)};
    random_outcome out = {.holds = true};
    tg_findings findings;
    tg_diags diags = {0};
    if (!settings.elementwise) return out;
    if (tg_findings_init(&findings, MOST_FINDINGS)) {
        out = run_planned(&settings, data, v, &findings, &diags);
        tg_findings_free(&findings);
    } else {
        out.holds = false;
        note_error(&out, TG_ERR_NO_MEMORY, NULL);
    }
    tg_diags_free(&diags);
    return out;
}
