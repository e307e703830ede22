#include "crosscheck/crosscheck.h"

#include <stdio.h>
#include <string.h>

#include "api/backend.h"
#include "api/case.h"
#include "crosscheck/triton_ptx.h"
#include "report/compare.h"
#include "base/text.h"
#include "gpu_backend/device/open.h"

/* ---- outputs ---- */

static bool compare_outputs(const tg_case_run *first, const tg_case_run *other,
                            tg_cross_outcome *out)
{
    static const tg_tolerance bits = {.kind = TG_TOLERANCE_BITS};
    for (size_t i = 0; i < first->outputs.count; i++) {
        const tg_tensor *want = &first->outputs.list[i].tensor,
                        *got = &other->outputs.list[i].tensor;
        tg_comparison comparison;
        char line[TG_COMPARISON_TEXT];
        if (tg_compare(got, want, &bits, &comparison) == TG_OK && comparison.differing == 0)
            continue;
        snprintf(out->text, sizeof out->text, "output %s: %s", first->outputs.list[i].name,
                 tg_comparison_print(&comparison, got, want, line));
        return false;
    }
    return true;
}

/* ---- outputs in profile fast ---- */

static void tell_worst(const tg_tensor *got, const tg_tensor *want, tg_fast_verdict verdict,
                       tg_cross_outcome *out)
{
    static const char *const says[] = {[TG_FAST_WITHIN] = "nearest to its bound is",
                                       [TG_FAST_UNJUDGED] = "without a bound is",
                                       [TG_FAST_OUTSIDE] = "outside its bound is"};
    char at[TG_INDEX_TEXT], a[TG_ELEMENT_TEXT], b[TG_ELEMENT_TEXT];
    const tg_dtype dtype = want->type.dtype;
    const size_t start = (size_t)out->worst.element * tg_dtypes[dtype].bytes;
    snprintf(out->text, sizeof out->text,
             "output %s: %s %s: got %s, reference %s, off by %.3g of %.3g", out->bound_output,
             says[verdict], tg_index_print(&want->type, out->worst.element, at),
             tg_element_print(dtype, (const char *)got->data + start, a),
             tg_element_print(dtype, (const char *)want->data + start, b), out->worst.off,
             out->worst.bound);
}

static const char *name_in(const tg_case *c, const char *name)
{
    for (uint32_t p = 0; p < c->kernel->param_count; p++)
        if (strcmp(c->kernel->params[p].name, name) == 0) return c->kernel->params[p].name;
    return NULL;
}

/* Outputs differ: whether by no more than they may. */
static tg_status judge_outputs(const tg_case *c, const tg_case_run *first, const tg_case_run *other,
                               tg_fast_bounds *bounds, tg_cross_outcome *out)
{
    tg_fast_verdict so_far = TG_FAST_EQUAL;
    double share = -1;
    out->verdict = TG_CROSS_UNJUDGED;
    TG_TRY(tg_fast_bounds_find(c, bounds));
    if (bounds->why_not[0]) {
        snprintf(out->text, sizeof out->text, "%s", bounds->why_not);
        return TG_OK;
    }
    for (size_t i = 0; i < first->outputs.count; i++) {
        const char *name = first->outputs.list[i].name;
        const tg_tensor *want = &first->outputs.list[i].tensor,
                        *got = &other->outputs.list[i].tensor;
        tg_fast_worst worst;
        const tg_fast_verdict verdict =
            tg_fast_judge(got, want, tg_fast_bound_of(bounds, name), &worst);
        const double taken = worst.bound > 0 ? worst.off / worst.bound : worst.off;
        if (verdict < so_far || verdict == TG_FAST_EQUAL) continue;
        if (verdict == so_far && !(taken > share)) continue;
        so_far = verdict;
        share = taken;
        out->worst = worst;
        out->bound_output = name_in(c, name);
        tell_worst(got, want, verdict, out);
    }
    if (so_far != TG_FAST_UNJUDGED)
        out->verdict = so_far == TG_FAST_WITHIN ? TG_CROSS_WITHIN : TG_CROSS_DIFFERENT;
    return TG_OK;
}

/* ---- findings ---- */

/* What the interpreter alone keeps account of: what was written in the whole run, copies and
 * products on their way, phases of barriers, and which part of memory a tensor is (docs/gpu.md). */
static bool is_no_devices(const tg_finding *f)
{
    static const char *const kinds[] = {
        "output-unwritten",    "semaphore-left",       "dma-not-awaited", "dma-in-flight",
        "product-not-awaited", "product-in-flight",    "barrier-overrun", "phase-missed",
        "phase-unobserved",    "access-outside-tensor"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(f->kind, kinds[i]) == 0) return true;
    return false;
}

static bool same_program(const tg_finding *a, const tg_finding *b)
{
    if (!a->program || !b->program) return a->program == b->program;
    for (int d = 0; d < a->rank; d++)
        if (a->program[d] != b->program[d]) return false;
    return true;
}

static bool same_finding(const tg_finding *a, const tg_finding *b)
{
    return strcmp(a->kind, b->kind) == 0 && strcmp(a->op, b->op) == 0 &&
           strcmp(a->param, b->param) == 0 && strcmp(a->file, b->file) == 0 && a->line == b->line &&
           same_program(a, b);
}

/* The first finding of `a` that `b` lacks; false where there is none. */
static bool find_missing(const tg_report *a, const tg_report *b, tg_finding *missing)
{
    for (size_t i = 0; i < tg_report_finding_count(a); i++) {
        *missing = tg_report_finding(a, i);
        bool is_there = is_no_devices(missing);
        for (size_t j = 0; j < tg_report_finding_count(b) && !is_there; j++) {
            const tg_finding other = tg_report_finding(b, j);
            is_there = same_finding(missing, &other);
        }
        if (!is_there) return true;
    }
    return false;
}

static bool has_finding(const tg_report *report, const char *kind)
{
    for (size_t i = 0; i < tg_report_finding_count(report); i++)
        if (strcmp(tg_report_finding(report, i).kind, kind) == 0) return true;
    return false;
}

/* Who has missed a phase goes on in the interpreter, which says so, and waits for ever on a device. */
static bool is_of_missed_phase(const tg_finding *f, const tg_report *interpreters)
{
    return strcmp(f->kind, "deadlock") == 0 && has_finding(interpreters, "phase-missed");
}

static bool compare_findings(const tg_case_run *first, const char *first_name,
                             const tg_case_run *other, const char *name, tg_cross_outcome *out)
{
    tg_finding missing;
    const bool is_absent = find_missing(first->report, other->report, &missing);
    if (!is_absent && (!find_missing(other->report, first->report, &missing) ||
                       is_of_missed_phase(&missing, first->report)))
        return true;
    snprintf(out->text, sizeof out->text, "finding %s of backend %s alone: %s", missing.kind,
             is_absent ? first_name : name, missing.message);
    return false;
}

/* ---- what is printed ---- */

static void take_text(void *context, const char *text) { tg_text_put(context, text); }

/* The first line that differs is told; a text that ends before the other one has an empty line
 * there. */
static bool compare_printed(const tg_text *first, const char *first_name, const tg_text *other,
                            tg_cross_outcome *out)
{
    const char *want = first->data ? first->data : "", *got = other->data ? other->data : "";
    size_t line = 0;
    if (strcmp(want, got) == 0) return true;
    for (size_t i = 0; want[i] && want[i] == got[i]; i++)
        if (want[i] == '\n') line = i + 1;
    snprintf(out->text, sizeof out->text, "prints \"%.*s\", %s \"%.*s\"",
             (int)strcspn(got + line, "\n"), got + line, first_name,
             (int)strcspn(want + line, "\n"), want + line);
    return false;
}

/* ---- runs ---- */

/* One backend's run of the case. */
typedef struct one_run {
    tg_case_run *run;
    tg_text printed;
} one_run;

static void free_run(one_run *run)
{
    tg_case_run_free(run->run);
    tg_text_drop(&run->printed);
}

static tg_status run(const tg_case *c, const char *backend, bool is_fast, tg_tensor_core core,
                     one_run *run, tg_cross_outcome *out)
{
    const tg_run_options options = {.size = sizeof options,
                                    .order = "sequential",
                                    .max_findings = 1000,
                                    .print = take_text,
                                    .context = &run->printed,
                                    .profile = is_fast ? "fast" : "reference",
                                    .tensor_core = tg_setting_tensor_core_text(core),
                                    .backend = backend};
    tg_errors *errors = tg_errors_new();
    tg_status status =
        errors ? tg_case_run_new(c, &options, NULL, &run->run, errors) : TG_ERR_NO_MEMORY;
    if (status == TG_OK && run->printed.failed) status = TG_ERR_NO_MEMORY;
    if (status != TG_OK) {
        out->status = status;
        out->verdict = status == TG_ERR_UNSUPPORTED ? TG_CROSS_REFUSED : TG_CROSS_FAILED;
        const size_t count = errors ? tg_errors_count(errors) : 0;
        snprintf(out->text, sizeof out->text, "%s: %s", backend,
                 count ? tg_errors_get(errors, count - 1).message : tg_status_text(status));
    }
    tg_errors_free(errors);
    return status;
}

/* ---- the first difference ---- */

static tg_status find_first(const tg_case *c, const char *backend, tg_tensor_core core,
                            tg_cross_outcome *out)
{
    tg_first_settings settings = {.tensor_core = core};
    tg_diags diags = {0};
    tg_status status = tg_device_open(backend, &settings.device, &diags);
    if (status == TG_OK) status = tg_first_difference_find(c, &settings, &out->first, &diags);
    tg_device_free(settings.device);
    out->has_first = status == TG_OK;
    if (status == TG_OK)
        tg_first_difference_print(&out->first, backend, out->first_text);
    else
        snprintf(out->first_text, sizeof out->first_text,
                 "the first op that differs could not be looked for: %s",
                 diags.count ? diags.list[diags.count - 1].message : tg_status_text(status));
    tg_diags_free(&diags);
    return status == TG_ERR_NO_MEMORY ? status : TG_OK;
}

/* ---- cases ---- */

/* What holds for a case's runs. */
typedef struct checking {
    const tg_case *c;
    const tg_crosscheck_settings *settings;
    one_run first;
    tg_fast_bounds bounds; /* derived when they are needed */
} checking;

/* What two profiles print differs where they do. */
static bool compare_the_rest(const checking *k, const char *backend, const one_run *other,
                             tg_cross_outcome *out)
{
    const char *first = k->settings->backends[0];
    return compare_findings(k->first.run, first, other->run, backend, out) &&
           (k->settings->is_fast ||
            compare_printed(&k->first.printed, first, &other->printed, out));
}

static tg_status compare(checking *k, const char *backend, const one_run *other,
                         tg_cross_outcome *out)
{
    const bool same_outputs = compare_outputs(k->first.run, other->run, out);
    tg_status status = TG_OK;
    out->verdict = same_outputs ? TG_CROSS_EQUAL : TG_CROSS_DIFFERENT;
    if (!same_outputs && k->settings->is_fast)
        status = judge_outputs(k->c, k->first.run, other->run, &k->bounds, out);
    else if (!same_outputs && tg_backend_find(k->settings->backends[0]) == &tg_backend_cpu)
        status = find_first(k->c, backend, k->settings->tensor_core, out);
    if (out->verdict <= TG_CROSS_WITHIN && !compare_the_rest(k, backend, other, out))
        out->verdict = TG_CROSS_DIFFERENT;
    return status;
}

/* Of the interpreter, if nothing else differs: what the PTX of another compiler has found, it has
 * stopped at. */
static void compare_with_none(const checking *k, tg_cross_outcome *out)
{
    const tg_report *report = k->first.run->report;
    for (size_t i = 0; i < tg_report_finding_count(report) && out->verdict <= TG_CROSS_WITHIN;
         i++) {
        const tg_finding found = tg_report_finding(report, i);
        if (is_no_devices(&found)) continue;
        out->verdict = TG_CROSS_DIFFERENT;
        snprintf(out->text, sizeof out->text, "finding %s of backend cpu alone: %s", found.kind,
                 found.message);
    }
}

static tg_status check_triton(checking *k, uint64_t seed, tg_cross_outcome *out)
{
    TG_TRY(tg_triton_ptx_check(k->c, seed, k->first.run, out));
    compare_with_none(k, out);
    return TG_OK;
}

/* One backend against the first. */
static tg_status check(checking *k, const char *backend, tg_cross_outcome *out)
{
    one_run other = {0};
    uint64_t seed;
    if (tg_crosscheck_is_triton_ptx(backend, &seed)) return check_triton(k, seed, out);
    tg_status status =
        run(k->c, backend, k->settings->is_fast, k->settings->tensor_core, &other, out);
    if (status == TG_OK) {
        status = compare(k, backend, &other, out);
        out->seconds = tg_report_stats(other.run->report).seconds;
    }
    free_run(&other);
    return status == TG_ERR_NO_MEMORY ? status : TG_OK;
}

tg_status tg_crosscheck_case(const tg_case *c, const tg_crosscheck_settings *settings,
                             tg_cross_outcome *results)
{
    const char *const *backends = settings->backends;
    checking k = {.c = c, .settings = settings};
    memset(results, 0, (settings->count - 1) * sizeof *results);
    tg_status status = run(c, backends[0], false, settings->tensor_core, &k.first, &results[0]);
    if (status == TG_OK)
        for (size_t i = 1; i < settings->count && status == TG_OK; i++)
            status = check(&k, backends[i], &results[i - 1]);
    else
        for (size_t i = 1; i + 1 < settings->count; i++) results[i] = results[0];
    free_run(&k.first);
    tg_fast_bounds_free(&k.bounds);
    return status == TG_ERR_NO_MEMORY ? status : TG_OK;
}
