#include "crosscheck/run_case.h"

#include <stdlib.h>
#include <string.h>

#include "api/backend.h"
#include "crosscheck/run_kernel.h"
#include "verify/verify.h"
#include "loaders/elements.h"

/* ---- opening ---- */

/* Bits of an element that nobody defined: a quiet NaN or the least value, else 0. */
static uint64_t undefined_bits(tg_dtype dtype)
{
    const tg_dtype_info *info = &tg_dtypes[dtype];
    uint64_t sign = UINT64_C(1) << (info->bits - 1);
    switch (info->special) {
    case TG_SPECIAL_IEEE: return (sign - 1) & ~((UINT64_C(1) << (info->man_bits - 1)) - 1);
    case TG_SPECIAL_FN: return sign - 1;
    case TG_SPECIAL_FNUZ: return sign;
    case TG_SPECIAL_E8M0:
    case TG_SPECIAL_FINITE: return 2 * sign - 1;
    case TG_SPECIAL_NONE: break;
    }
    /* A signed integer narrower than its element is sign-extended there. */
    return info->kind == TG_KIND_SINT ? ~(sign - 1) : 0;
}

static void fill_undefined(tg_tensor *tensor)
{
    size_t width = tg_dtypes[tensor->type.dtype].bytes;
    uint64_t bits = undefined_bits(tensor->type.dtype);
    unsigned char element[sizeof bits];
    for (size_t i = 0; i < width; i++) {
        size_t place = tg_host_is_big_endian() ? width - 1 - i : i;
        element[place] = (unsigned char)(bits >> (8 * i));
    }
    size_t bytes = tg_tensor_bytes(&tensor->type);
    for (size_t at = 0; at < bytes; at += width) memcpy((char *)tensor->data + at, element, width);
}

static tg_status fill_inputs(tg_case *c, tg_diags *diags)
{
    for (uint32_t i = 0; i < c->kernel->param_count; i++) {
        tg_case_tensor *input = &c->inputs[i];
        if (input->content != TG_CASE_UNDEFINED) continue;
        tg_status status = tg_tensor_new(&c->kernel->params[i].array, &input->tensor);
        if (status != TG_OK)
            return tg_fail(diags, status, NULL, "no memory for input %s",
                           c->kernel->params[i].name);
        fill_undefined(&input->tensor);
        input->content = TG_CASE_TENSOR;
    }
    return TG_OK;
}

tg_status tg_case_open(const char *folder, tg_case **out, tg_diags *diags)
{
    TG_TRY(tg_case_load(folder, out, diags));
    tg_diags_set_file(diags, folder);
    tg_status status = tg_module_verify((*out)->module, diags);
    tg_diags_set_file(diags, NULL);
    if (status == TG_OK) status = fill_inputs(*out, diags);
    if (status == TG_OK) return TG_OK;
    tg_case_free(*out);
    *out = NULL;
    return status;
}

/* ---- running ---- */

/* The case's inputs by name, without owning them; the caller frees the list. */
static tg_status list_inputs(const tg_case *c, tg_tensors *out, tg_diags *diags)
{
    const tg_kernel *k = c->kernel;
    *out = (tg_tensors){.list = calloc((size_t)k->param_count + 1, sizeof *out->list)};
    if (!out->list) return tg_no_memory(diags);
    for (uint32_t i = 0; i < k->param_count; i++) {
        if (c->inputs[i].content != TG_CASE_TENSOR) continue;
        out->list[out->count].name = k->params[i].name;
        out->list[out->count++].tensor = c->inputs[i].tensor;
    }
    return TG_OK;
}

static tg_status run_case(tg_run_function *run, const tg_case *c, const tg_run_options *options,
                          tg_case_run *out, tg_diags *diags)
{
    tg_tensors inputs;
    tg_run_options own = {.size = sizeof own};
    if (options) own = *options;
    if (!own.compat) own.compat = tg_setting_compat_text(&c->setting);
    if (!own.profile) own.profile = c->profile == TG_CASE_FAST ? "fast" : "reference";
    const tg_backend *backend = tg_backend_find(own.backend);
    if (!own.target && backend && (backend->can & TG_BACKEND_TARGET))
        own.target = tg_setting_target_text(&c->setting);
    own.dynamic_grid = c->dynamic_grid;
    own.dynamic_grid_count = c->dynamic_count;
    TG_TRY(list_inputs(c, &inputs, diags));
    tg_status status = tg_run_kernel(run, c->module, c->kernel->name, &inputs, &own, &out->outputs,
                                     &out->report, diags);
    free(inputs.list);
    return status;
}

/* ---- judging ---- */

static bool matches(const tg_case_finding *want, const tg_finding *got)
{
    return strcmp(want->kind, got->kind) == 0 &&
           (!want->param || strcmp(want->param, got->param) == 0) &&
           (!want->op || strcmp(want->op, got->op) == 0);
}

bool tg_case_expects(const tg_case *c, const tg_finding *finding)
{
    for (size_t i = 0; i < c->finding_count; i++)
        if (matches(&c->findings[i], finding)) return true;
    return false;
}

static bool was_found(const tg_report *report, const tg_case_finding *want)
{
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        tg_finding finding = tg_report_finding(report, i);
        if (matches(want, &finding)) return true;
    }
    return false;
}

/* Whether the run looked for such findings, so that one that is not there is absent. */
static bool was_looked_for(const tg_case_finding *want, unsigned checks)
{
    const unsigned check = tg_check_of(want->kind);
    return !check || (checks & check);
}

static void judge_findings(const tg_case *c, unsigned checks, tg_case_run *run)
{
    for (size_t i = 0; i < tg_report_finding_count(run->report); i++) {
        tg_finding finding = tg_report_finding(run->report, i);
        run->unexpected += !tg_case_expects(c, &finding);
    }
    for (size_t i = 0; i < c->finding_count; i++)
        run->absent +=
            was_looked_for(&c->findings[i], checks) && !was_found(run->report, &c->findings[i]);
}

static const tg_tensor *expectation(const tg_case *c, const char *name)
{
    for (uint32_t i = 0; i < c->kernel->param_count; i++)
        if (c->expected[i].content == TG_CASE_TENSOR &&
            strcmp(c->kernel->params[i].name, name) == 0)
            return &c->expected[i].tensor;
    return NULL;
}

static tg_status judge_outputs(const tg_case *c, tg_case_run *run, tg_diags *diags)
{
    run->checks = calloc(run->outputs.count + 1, sizeof *run->checks);
    if (!run->checks) return tg_no_memory(diags);
    for (size_t i = 0; i < run->outputs.count; i++) {
        tg_output_check *check = &run->checks[run->check_count++];
        check->name = run->outputs.list[i].name;
        check->got = &run->outputs.list[i].tensor;
        check->want = expectation(c, check->name);
        if (check->want)
            TG_TRY(tg_compare(check->got, check->want, &c->compare, &check->comparison));
        run->passed = run->passed && (!check->want || check->comparison.agree);
    }
    return TG_OK;
}

tg_status tg_case_run_once(tg_run_function *run, const tg_case *c, const tg_run_options *options,
                           tg_case_run *out, tg_diags *diags)
{
    unsigned checks;
    *out = (tg_case_run){0};
    TG_TRY(tg_checks_parse(options && options->checks ? options->checks : "none", &checks, diags));
    TG_TRY(run_case(run, c, options, out, diags));
    judge_findings(c, checks, out);
    out->passed = !out->unexpected && !out->absent;
    return judge_outputs(c, out, diags);
}

void tg_case_run_free(tg_case_run *run)
{
    tg_report_free(run->report);
    tg_tensors_free(&run->outputs);
    free(run->checks);
    *run = (tg_case_run){0};
}

const char *tg_case_first_difference(const tg_case_run *a, const tg_case_run *b)
{
    for (size_t i = 0; i < a->outputs.count && i < b->outputs.count; i++) {
        const tg_tensor *x = &a->outputs.list[i].tensor, *y = &b->outputs.list[i].tensor;
        size_t bytes = tg_tensor_bytes(&x->type);
        if (bytes && memcmp(x->data, y->data, bytes) != 0) return a->outputs.list[i].name;
    }
    return NULL;
}
