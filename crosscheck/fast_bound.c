#include "crosscheck/fast_bound.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bounds/kernel.h"
#include "bounds/model.h"
#include "tilegrind/arrays.h"
#include "ir/bits.h"
#include "verify/verify.h"

/* ---- bounds ---- */

static bool is_bound(const char *name)
{
    const size_t length = strlen(name), suffix = strlen(TG_BOUND_SUFFIX);
    return length > suffix && strcmp(name + length - suffix, TG_BOUND_SUFFIX) == 0;
}

static const tg_tensor *input_of(const tg_case *c, const char *name)
{
    for (uint32_t p = 0; p < c->kernel->param_count; p++)
        if (strcmp(c->kernel->params[p].name, name) == 0) return &c->inputs[p].tensor;
    return NULL;
}

/* The case's inputs, borrowed, and zeros, for which `zeros` has the memory: inputs are not off. */
static tg_status list_inputs(const tg_case *c, const tg_kernel *k, tg_tensors *out, void *zeros)
{
    out->list = calloc((size_t)k->param_count + 1, sizeof *out->list);
    if (!out->list) return TG_ERR_NO_MEMORY;
    for (uint32_t p = 0; p < k->param_count; p++) {
        const tg_param *param = &k->params[p];
        if (param->role != TG_ROLE_INPUT && param->role != TG_ROLE_PREFETCH) continue;
        const tg_tensor *given = input_of(c, param->name);
        out->list[out->count].name = param->name;
        out->list[out->count++].tensor = given ? *given : (tg_tensor){param->array, zeros};
    }
    return TG_OK;
}

static size_t most_bytes(const tg_kernel *k)
{
    size_t most = 1;
    for (uint32_t p = 0; p < k->param_count; p++) {
        const size_t bytes = tg_tensor_bytes(&k->params[p].array);
        if (is_bound(k->params[p].name) && bytes > most) most = bytes;
    }
    return most;
}

/* A check that fails says that a comparison may come out otherwise. */
static void read_findings(const tg_report *report, tg_fast_bounds *bounds)
{
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const tg_finding f = tg_report_finding(report, i);
        if (strcmp(f.kind, "check-failed") != 0) continue;
        snprintf(bounds->why_not, sizeof bounds->why_not, "no bound can be derived: %s at %s:%lld",
                 f.message, f.file, (long long)f.line);
        return;
    }
}

static tg_status run(const tg_case *c, const tg_module *module, tg_fast_bounds *bounds,
                     tg_errors *errors)
{
    const tg_run_options options = {.size = sizeof options,
                                    .order = "sequential",
                                    .max_findings = 1000,
                                    .compat = tg_setting_compat_text(&c->setting),
                                    .profile = "reference",
                                    .dynamic_grid = c->dynamic_grid,
                                    .dynamic_grid_count = c->dynamic_count};
    tg_report *report = NULL;
    tg_tensors inputs = {0};
    void *zeros = calloc(most_bytes(&module->kernels[0]), 1);
    tg_status status =
        zeros ? list_inputs(c, &module->kernels[0], &inputs, zeros) : TG_ERR_NO_MEMORY;
    if (status == TG_OK)
        status =
            tg_arrays_run(module, NULL, &inputs, &options, NULL, &bounds->outputs, &report, errors);
    if (status == TG_OK) read_findings(report, bounds);
    tg_report_free(report);
    free(inputs.list);
    free(zeros);
    return status;
}

/* Runs the kernel of bounds; where that fails, the first reason is why there are none. */
static tg_status run_or_tell(const tg_case *c, const tg_module *module, tg_fast_bounds *bounds)
{
    tg_errors *errors = tg_errors_new();
    const tg_status status = run(c, module, bounds, errors);
    if (status != TG_OK)
        snprintf(bounds->why_not, sizeof bounds->why_not, "%s",
                 errors && tg_errors_count(errors) ? tg_errors_get(errors, 0).message
                                                   : tg_status_text(status));
    tg_errors_free(errors);
    return status;
}

tg_status tg_fast_bounds_find(const tg_case *c, tg_fast_bounds *bounds)
{
    tg_module *module = NULL;
    tg_diags diags = {0};
    if (bounds->is_known) return TG_OK;
    bounds->is_known = true;
    tg_status status = tg_bound_kernel_new(c->module, c->kernel, NULL, false, &module, &diags);
    if (status == TG_OK) status = tg_module_verify(module, &diags);
    if (status == TG_OK)
        status = run_or_tell(c, module, bounds);
    else
        snprintf(bounds->why_not, sizeof bounds->why_not, "%s",
                 diags.count ? diags.list[0].message : tg_status_text(status));
    tg_diags_free(&diags);
    tg_module_destroy(module);
    return status == TG_ERR_NO_MEMORY ? status : TG_OK;
}

void tg_fast_bounds_free(tg_fast_bounds *bounds)
{
    tg_tensors_free(&bounds->outputs);
    *bounds = (tg_fast_bounds){0};
}

const tg_tensor *tg_fast_bound_of(const tg_fast_bounds *bounds, const char *output)
{
    const size_t length = strlen(output);
    for (size_t i = 0; i < bounds->outputs.count; i++) {
        const char *name = bounds->outputs.list[i].name;
        if (strncmp(name, output, length) == 0 && strcmp(name + length, TG_BOUND_SUFFIX) == 0)
            return &bounds->outputs.list[i].tensor;
    }
    return NULL;
}

/* ---- judging ---- */

/* How far the element is off; nothing where it is infinite and the bound reaches beyond all
 * numbers. */
static double distance(tg_dtype dtype, double got, double want, double bound)
{
    if (isinf(got) && isfinite(want) && signbit(got) == signbit(want) &&
        fabs(want) + bound >= tg_bound_greatest(dtype))
        return 0;
    return fabs(got - want);
}

typedef struct judge {
    tg_fast_verdict verdict;
    double share;
} judge;

static judge judge_element(tg_dtype dtype, uint64_t got, uint64_t want, double bound, double *off)
{
    /* In f64 the bound itself may be off by a little. */
    const double allowed = bound * (1 + 0x1p-20);
    *off = distance(dtype, tg_bits_value(dtype, got), tg_bits_value(dtype, want), allowed);
    if (!isfinite(bound)) return (judge){TG_FAST_UNJUDGED, (double)INFINITY};
    if (*off <= allowed) return (judge){TG_FAST_WITHIN, *off > 0 ? *off / allowed : 0};
    return (judge){TG_FAST_OUTSIDE, allowed > 0 ? *off / allowed : (double)INFINITY};
}

static bool is_worse(judge a, judge b)
{
    return a.verdict > b.verdict ||
           (a.verdict == b.verdict && (a.share > b.share || isnan(a.share)));
}

tg_fast_verdict tg_fast_judge(const tg_tensor *got, const tg_tensor *want, const tg_tensor *bound,
                              tg_fast_worst *worst)
{
    const tg_dtype dtype = want->type.dtype;
    const size_t size = tg_dtypes[dtype].bytes;
    judge so_far = {TG_FAST_EQUAL, 0};
    *worst = (tg_fast_worst){.element = -1};
    for (int64_t i = 0; i < tg_type_count(&want->type); i++) {
        const uint64_t a = tg_bits_load(dtype, (const char *)got->data + (size_t)i * size),
                       b = tg_bits_load(dtype, (const char *)want->data + (size_t)i * size);
        if (a == b || (tg_bits_is_nan(dtype, a) && tg_bits_is_nan(dtype, b))) continue;
        judge here = {TG_FAST_OUTSIDE, (double)INFINITY};
        double off = (double)INFINITY, allowed = 0;
        if (bound) {
            allowed = ((const double *)bound->data)[i];
            here = judge_element(dtype, a, b, allowed, &off);
        }
        if (!is_worse(here, so_far)) continue;
        so_far = here;
        *worst = (tg_fast_worst){i, off, allowed};
    }
    return so_far.verdict;
}
