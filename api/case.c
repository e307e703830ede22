/* Cases: opened, run, and held against what they expect. */
#include "api/case.h"

#include <stdlib.h>
#include <string.h>

#include "api/arrays.h"
#include "api/backend.h"
#include "api/errors.h"
#include "api/options.h"
#include "base/float_env.h"
#include "loaders/elements.h"
#include "report/compare.h"
#include "verify/verify.h"

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
        const tg_type type = input->tensor.type;
        tg_status status = tg_tensor_new(&type, &input->tensor);
        if (status != TG_OK)
            return tg_fail(diags, status, NULL, "no memory for input %s",
                           c->kernel->params[i].name);
        fill_undefined(&input->tensor);
        input->content = TG_CASE_TENSOR;
    }
    return TG_OK;
}

static tg_status load(const char *folder, tg_case_arrays arrays, tg_case **out, tg_diags *diags)
{
    TG_TRY(tg_case_load(folder, arrays, out, diags));
    tg_diags_set_file(diags, folder);
    tg_status status = tg_module_verify((*out)->module, diags);
    tg_diags_set_file(diags, NULL);
    return status == TG_OK ? fill_inputs(*out, diags) : status;
}

static tg_status open_case(const char *folder, tg_case_arrays arrays, tg_case **out,
                           tg_errors *errors)
{
    tg_diags unwanted = {0};
    const tg_environment saved = tg_environment_enter(); /* constants are numbers too */
    const tg_status status = load(folder, arrays, out, tg_api_diags(errors, &unwanted));
    tg_environment_leave(saved);
    tg_diags_free(&unwanted);
    if (status == TG_OK) return TG_OK;
    tg_case_free(*out);
    *out = NULL;
    return status;
}

tg_status tg_case_open(const char *folder, tg_case **out, tg_errors *errors)
{
    return open_case(folder, TG_CASE_OF_PARAMS, out, errors);
}

tg_status tg_case_open_on_mesh(const char *folder, tg_case **out, tg_errors *errors)
{
    return open_case(folder, TG_CASE_WHOLE, out, errors);
}

void tg_case_close(tg_case *c) { tg_case_free(c); }

static size_t count_inputs(const tg_case *c)
{
    size_t count = 0;
    for (uint32_t i = 0; i < c->kernel->param_count; i++)
        count += c->inputs[i].content == TG_CASE_TENSOR;
    return count;
}

tg_case_info tg_case_describe(const tg_case *c)
{
    return (tg_case_info){.name = c->name,
                          .why = c->why,
                          .kernel = c->kernel->name,
                          .order_count = c->order_count,
                          .finding_count = c->finding_count,
                          .is_exact = c->compare.kind == TG_TOLERANCE_BITS,
                          .input_count = count_inputs(c),
                          .grid_count = c->dynamic_count,
                          .grid = c->dynamic_grid};
}

const tg_module *tg_case_module(const tg_case *c) { return c->module; }

tg_array tg_case_input(const tg_case *c, size_t index)
{
    uint32_t param = 0;
    while (c->inputs[param].content != TG_CASE_TENSOR || index-- > 0) param++;
    return tg_api_array_of(c->kernel->params[param].name, &c->inputs[param].tensor);
}

const char *tg_case_order(const tg_case *c, size_t index) { return c->orders[index]; }

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

/* The caller's options, completed by what the case says. */
static tg_run_options options_of(const tg_case *c, const tg_run_options *options)
{
    tg_run_options own = tg_api_options(options);
    if (!own.compat) own.compat = tg_setting_compat_text(&c->setting);
    if (!own.profile) own.profile = c->profile == TG_CASE_FAST ? "fast" : "reference";
    const tg_backend *backend = tg_backend_find(own.backend);
    if (!own.target && backend && (backend->can & TG_BACKEND_TARGET))
        own.target = tg_setting_target_text(&c->setting);
    if (!own.tensor_core) own.tensor_core = tg_setting_tensor_core_text(c->setting.tensor_core);
    own.dynamic_grid = c->dynamic_grid;
    own.dynamic_grid_count = c->dynamic_count;
    return own;
}

static tg_status run_on_device(const tg_case_runner *how, const tg_case *c,
                               const tg_tensors *inputs, const tg_run_options *options,
                               tg_case_run *out, tg_errors *errors)
{
    return tg_arrays_run(c->module, c->kernel->name, inputs, options, how->hook, &out->outputs,
                         &out->report, errors);
}

static tg_status run_case(const tg_case *c, const tg_run_options *options,
                          const tg_case_runner *how, tg_case_run *out, tg_errors *errors)
{
    tg_diags unwanted = {0};
    tg_tensors inputs;
    tg_status status = list_inputs(c, &inputs, tg_api_diags(errors, &unwanted));
    tg_diags_free(&unwanted);
    if (status == TG_OK) status = how->run(how, c, &inputs, options, out, errors);
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

int tg_case_expects(const tg_case *c, const tg_report *report, size_t finding)
{
    const tg_finding found = tg_report_finding(report, finding);
    for (size_t i = 0; i < c->finding_count; i++)
        if (matches(&c->findings[i], &found)) return true;
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
    for (size_t i = 0; i < tg_report_finding_count(run->report); i++)
        run->verdict.unexpected += !tg_case_expects(c, run->report, i);
    for (size_t i = 0; i < c->finding_count; i++)
        run->verdict.absent +=
            was_looked_for(&c->findings[i], checks) && !was_found(run->report, &c->findings[i]);
}

tg_tensor *tg_case_expected(const tg_case *c, const char *name)
{
    for (uint32_t i = 0; i < c->kernel->param_count; i++)
        if (c->expected[i].content == TG_CASE_TENSOR &&
            strcmp(c->kernel->params[i].name, name) == 0)
            return &c->expected[i].tensor;
    return NULL;
}

/* Whether all outputs are as they should be. */
static tg_status judge_outputs(const tg_case *c, tg_case_run *run, bool *agree)
{
    *agree = true;
    run->checks = calloc(run->outputs.count + 1, sizeof *run->checks);
    if (!run->checks) return TG_ERR_NO_MEMORY;
    for (size_t i = 0; i < run->outputs.count; i++) {
        tg_output_check *check = &run->checks[i];
        check->want = tg_case_expected(c, run->outputs.list[i].name);
        if (!check->want) continue;
        TG_TRY(
            tg_compare(&run->outputs.list[i].tensor, check->want, &c->compare, &check->comparison));
        *agree = *agree && check->comparison.agree;
    }
    return TG_OK;
}

/* Runs the case into *run, which is zeroed. */
static tg_status run_and_judge(const tg_case *c, const tg_run_options *options,
                               const tg_case_runner *how, tg_case_run *run, tg_errors *errors)
{
    bool agree;
    unsigned checks;
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_status status = tg_checks_parse(options->checks ? options->checks : "none", &checks, diags);
    if (status == TG_OK) status = run_case(c, options, how, run, errors);
    if (status == TG_OK) {
        judge_findings(c, checks, run);
        status = judge_outputs(c, run, &agree);
        run->verdict.passed =
            status == TG_OK && agree && !run->verdict.unexpected && !run->verdict.absent;
        if (status != TG_OK) tg_no_memory(diags);
    }
    tg_diags_free(&unwanted);
    return status;
}

static tg_status no_memory(tg_errors *errors)
{
    tg_diags unwanted = {0};
    const tg_status status = tg_no_memory(tg_api_diags(errors, &unwanted));
    tg_diags_free(&unwanted);
    return status;
}

tg_status tg_case_run_how(const tg_case *c, const tg_run_options *options,
                          const tg_case_runner *how, tg_case_run **out, tg_errors *errors)
{
    const tg_run_options own = options_of(c, options);
    tg_case_run *run = *out = calloc(1, sizeof *run);
    if (!run) return no_memory(errors);
    const tg_status status = run_and_judge(c, &own, how, run, errors);
    if (status == TG_OK || (status == TG_ERR_STOPPED && run->report)) return status;
    tg_case_run_free(run);
    *out = NULL;
    return status;
}

static tg_status refuse_whole(tg_case_run **out, tg_errors *errors)
{
    tg_diags unwanted = {0};
    *out = NULL;
    const tg_status status = tg_fail(tg_api_diags(errors, &unwanted), TG_ERR_USAGE, NULL,
                                     "the case has been opened for a mesh, and is run on one");
    tg_diags_free(&unwanted);
    return status;
}

tg_status tg_case_run_new(const tg_case *c, const tg_run_options *options, const tg_run_hook *hook,
                          tg_case_run **out, tg_errors *errors)
{
    const tg_case_runner how = {.run = run_on_device, .hook = hook};
    if (c->arrays == TG_CASE_WHOLE) return refuse_whole(out, errors);
    return tg_case_run_how(c, options, &how, out, errors);
}

void tg_case_run_free(tg_case_run *run)
{
    if (!run) return;
    tg_report_free(run->report);
    tg_tensors_free(&run->outputs);
    free(run->checks);
    free(run);
}

/* ---- results ---- */

const tg_report *tg_case_run_report(const tg_case_run *run) { return run->report; }

const tg_arrays *tg_case_run_outputs(const tg_case_run *run) { return &run->outputs; }

tg_case_verdict tg_case_run_verdict(const tg_case_run *run) { return run->verdict; }

tg_case_output tg_case_run_output(const tg_case_run *run, size_t index)
{
    const tg_output_check *check = &run->checks[index];
    tg_case_output out = {.got = tg_arrays_get(&run->outputs, index),
                          .is_expected = check->want != NULL,
                          .comparison = check->comparison};
    if (check->want) out.want = tg_api_array_of(out.got.name, check->want);
    return out;
}

const char *tg_case_run_difference(const tg_case_run *a, const tg_case_run *b)
{
    for (size_t i = 0; i < a->outputs.count && i < b->outputs.count; i++) {
        const tg_tensor *x = &a->outputs.list[i].tensor, *y = &b->outputs.list[i].tensor;
        size_t bytes = tg_tensor_bytes(&x->type);
        if (bytes && memcmp(x->data, y->data, bytes) != 0) return a->outputs.list[i].name;
    }
    return NULL;
}
