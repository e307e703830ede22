/* tg_run: from arrays and options of the public interface to a run of the interpreter. */
#include <stdlib.h>
#include <string.h>

#include "api/api_impl.h"
#include "ir/tensor.h"

struct tg_report {
    tg_findings findings;
    tg_run_result result;
    char order[64];
    const char *isa, *profile;
    const tg_module *module;
    const tg_kernel *kernel;
};

/* ---- DLPack dtypes ---- */

enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_BOOL = 6 };

/* The float8 forms have codes of their own in DLPack 1.1. */
static int float8_code(tg_dtype dtype)
{
    switch (dtype) {
    case TG_DT_f8e3m4: return 7;
    case TG_DT_f8e4m3: return 8;
    case TG_DT_f8e4m3b11fnuz: return 9;
    case TG_DT_f8e4m3fn: return 10;
    case TG_DT_f8e4m3fnuz: return 11;
    case TG_DT_f8e5m2: return 12;
    case TG_DT_f8e5m2fnuz: return 13;
    case TG_DT_f8e8m0fnu: return 14;
    default: return -1;
    }
}

static tg_dldtype dl_dtype(tg_dtype dtype)
{
    int code = float8_code(dtype);
    if (code < 0) {
        switch (tg_dtypes[dtype].kind) {
        case TG_KIND_BOOL: code = DL_BOOL; break;
        case TG_KIND_SINT: code = DL_INT; break;
        case TG_KIND_UINT: code = DL_UINT; break;
        case TG_KIND_FLOAT: code = dtype == TG_DT_bf16 ? DL_BFLOAT : DL_FLOAT; break;
        }
    }
    uint8_t bits = dtype == TG_DT_bool ? 8 : tg_dtypes[dtype].bits;
    return (tg_dldtype){.code = (uint8_t)code, .bits = bits, .lanes = 1};
}

tg_dldtype tg_dtype_to_dlpack(const char *dtype)
{
    tg_dtype found = tg_dtype_by_name(dtype);
    return found == TG_DT_COUNT ? (tg_dldtype){0} : dl_dtype(found);
}

/* ---- arrays ---- */

/* Strides of arrays without elements mean nothing. */
static bool is_row_major(const tg_dltensor *t)
{
    int64_t step = 1;
    bool is_dense = true;
    for (int d = t->ndim - 1; t->strides && d >= 0; d--) {
        if (t->shape[d] != 1 && t->strides[d] != step) is_dense = false;
        step *= t->shape[d];
    }
    return is_dense || step == 0;
}

static bool is_aligned(const tg_dltensor *t, tg_dtype dtype)
{
    return ((uintptr_t)t->data + t->byte_offset) % tg_dtypes[dtype].bytes == 0;
}

static tg_status check_array(const tg_kernel *k, const tg_param *param, const tg_array *array,
                             tg_diags *diags)
{
    const tg_dltensor *t = &array->tensor;
    tg_dldtype dtype = dl_dtype(param->array.dtype);
    char type[TG_TYPE_TEXT];
    tg_type_print(&param->array, type, sizeof type);
    bool fits = t->ndim == param->array.rank && t->dtype.code == dtype.code &&
                t->dtype.bits == dtype.bits && t->dtype.lanes == 1 && (t->shape || t->ndim == 0);
    for (int d = 0; fits && d < t->ndim; d++) fits = t->shape[d] == param->array.shape[d];
    if (!fits)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "kernel %s: array %s is not %s", k->name,
                       array->name, type);
    if (t->device.device_type != 1)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "kernel %s: array %s is not on the CPU", k->name,
                       array->name);
    if (!is_row_major(t))
        return tg_fail(diags, TG_ERR_USAGE, NULL, "kernel %s: array %s is not row-major", k->name,
                       array->name);
    if (!t->data && tg_type_count(&param->array) > 0)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "kernel %s: array %s has no data", k->name,
                       array->name);
    if (!is_aligned(t, param->array.dtype))
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "kernel %s: array %s is not aligned to its elements", k->name, array->name);
    return TG_OK;
}

static const tg_param *find_param(const tg_kernel *k, const char *name)
{
    for (uint32_t p = 0; p < k->param_count; p++)
        if (strcmp(k->params[p].name, name) == 0) return &k->params[p];
    return NULL;
}

/* Whether two params' memory overlaps where it must not: an output may share memory only with the input it
 * is an alias of, and then all of it. */
static bool clash(const tg_kernel *k, void *const *data, uint32_t output, uint32_t other)
{
    const tg_param *a = &k->params[output], *b = &k->params[other];
    uintptr_t from_a = (uintptr_t)data[output], from_b = (uintptr_t)data[other];
    if (a->alias == (int)other && from_a == from_b) return false;
    return from_a < from_b + tg_tensor_bytes(&b->array) &&
           from_b < from_a + tg_tensor_bytes(&a->array);
}

static tg_status check_overlaps(const tg_kernel *k, void *const *data, tg_diags *diags)
{
    tg_status worst = TG_OK;
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (k->params[p].role != TG_ROLE_OUTPUT || !data[p]) continue;
        for (uint32_t q = 0; q < k->param_count; q++)
            if (q != p && data[q] && (k->params[q].role != TG_ROLE_OUTPUT || q > p) &&
                clash(k, data, p, q))
                worst = tg_fail(diags, TG_ERR_USAGE, NULL,
                                "kernel %s: arrays %s and %s overlap in memory", k->name,
                                k->params[p].name, k->params[q].name);
    }
    return worst;
}

/* All that is wrong with the arrays is reported. */
static tg_status set_data(const tg_kernel *k, const tg_array *arrays, size_t count, void **data,
                          bool *given, tg_diags *diags)
{
    tg_status worst = TG_OK;
    for (size_t i = 0; i < count; i++) {
        const tg_param *param = arrays[i].name ? find_param(k, arrays[i].name) : NULL;
        if (!param || param->role == TG_ROLE_SCRATCH) {
            worst = tg_fail(diags, TG_ERR_USAGE, NULL,
                            "kernel %s has no parameter %s that takes an array", k->name,
                            arrays[i].name ? arrays[i].name : "without a name");
            continue;
        }
        if (given[param - k->params])
            worst = tg_fail(diags, TG_ERR_USAGE, NULL, "kernel %s: array %s is given twice",
                            k->name, param->name);
        given[param - k->params] = true;
        tg_status status = check_array(k, param, &arrays[i], diags);
        if (status != TG_OK) worst = status;
        if (arrays[i].tensor.data)
            data[param - k->params] = (char *)arrays[i].tensor.data + arrays[i].tensor.byte_offset;
    }
    for (uint32_t p = 0; p < k->param_count; p++) {
        char type[TG_TYPE_TEXT];
        if (given[p] || k->params[p].role == TG_ROLE_SCRATCH) continue;
        worst = tg_fail(diags, TG_ERR_USAGE, NULL, "kernel %s: no array for %s %s, which is %s",
                        k->name, tg_role_names[k->params[p].role], k->params[p].name,
                        tg_type_print(&k->params[p].array, type, sizeof type));
    }
    return worst == TG_OK ? check_overlaps(k, data, diags) : worst;
}

/* ---- options ---- */

/* The functions of the instruction set and the profile asked for. */
static tg_status set_lanes(const tg_run_options *options, tg_run_request *request, tg_diags *diags)
{
    const char *profile = options->profile ? options->profile : "reference", *missing;
    bool is_fast = strcmp(profile, "fast") == 0;
    if (!is_fast && strcmp(profile, "reference") != 0)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "profile \"%s\" is neither reference nor fast",
                       profile);
    request->lanes = tg_lanes_get(options->isa);
    if (!request->lanes)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "instruction set \"%s\" is unknown or not on this machine",
                       options->isa ? options->isa : "");
    if (is_fast && !(request->lanes = tg_lanes_fast(request->lanes, &missing)))
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "%s, so profile fast cannot run", missing);
    return TG_OK;
}

static tg_status set_options(const tg_run_options *options, const tg_kernel *k,
                             tg_run_request *request, tg_diags *diags)
{
    size_t dynamic = 0;
    for (int a = 0; a < k->axis_count; a++) dynamic += k->axes[a].size < 0;
    TG_TRY(tg_order_parse(options->order ? options->order : "sequential", &request->order, diags));
    if (options->compat && strcmp(options->compat, "strict") != 0 &&
        strcmp(options->compat, "jax") != 0)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "compat \"%s\" is neither strict nor jax",
                       options->compat);
    request->is_jax = options->compat && strcmp(options->compat, "jax") == 0;
    if (options->dynamic_grid_count != dynamic || (dynamic > 0 && !options->dynamic_grid))
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "kernel %s: %zu axes of the grid are dynamic, %zu sizes are given", k->name,
                       dynamic, options->dynamic_grid ? options->dynamic_grid_count : (size_t)0);
    request->dynamic_grid = options->dynamic_grid;
    TG_TRY(set_lanes(options, request, diags));
    request->progress = options->progress;
    request->print = options->print;
    request->context = options->context;
    return TG_OK;
}

/* ---- the run ---- */

static tg_status run(const tg_module *module, const tg_kernel *k, const tg_array *arrays,
                     size_t count, const tg_run_options *options, tg_report *report, void **data,
                     bool *given, tg_diags *diags)
{
    tg_run_request request = {.data = data};
    tg_plan *plan;
    TG_TRY(set_data(k, arrays, count, data, given, diags));
    TG_TRY(set_options(options, k, &request, diags));
    TG_TRY(tg_plan_new(module, k, &plan, diags));
    request.plan = plan;
    tg_status status = tg_run_grid(&request, &report->findings, &report->result, diags);
    tg_order_print(&request.order, report->order, sizeof report->order);
    report->isa = tg_lanes_isa(request.lanes);
    report->profile = tg_lanes_profile(request.lanes);
    tg_plan_free(plan);
    return status;
}

static tg_status run_kernel(const tg_module *module, const char *kernel, const tg_array *arrays,
                            size_t count, const tg_run_options *options, tg_report **out,
                            tg_diags *diags)
{
    static const size_t default_findings = 100;
    const tg_kernel *k = tg_api_kernel(module, kernel);
    if (!k) return tg_fail(diags, TG_ERR_USAGE, NULL, "the module has no kernel \"%s\"", kernel);
    tg_report *report = calloc(1, sizeof *report);
    void **data = calloc(k->param_count + 1, sizeof *data);
    bool *given = calloc(k->param_count + 1, sizeof *given);
    size_t most = options->max_findings ? options->max_findings : default_findings;
    tg_status status = TG_ERR_NO_MEMORY;
    if (!report || !data || !given || !tg_findings_init(&report->findings, most)) {
        tg_fail(diags, status, NULL, "memory is exhausted");
        free(report);
        report = NULL;
    } else {
        report->module = module;
        report->kernel = k;
        status = run(module, k, arrays, count, options, report, data, given, diags);
    }
    free(data);
    free(given);
    if (status == TG_OK)
        *out = report;
    else
        tg_report_free(report);
    return status;
}

tg_status tg_run(const tg_module *module, const char *kernel, const tg_array *arrays,
                 size_t array_count, const tg_run_options *options, tg_report **report,
                 tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_run_options all = {.size = sizeof all};
    if (options) memcpy(&all, options, options->size < sizeof all ? options->size : sizeof all);
    *report = NULL;
    tg_status status = run_kernel(module, kernel, arrays, array_count, &all, report, diags);
    tg_diags_free(&unwanted);
    return status;
}

/* ---- reports ---- */

void tg_report_free(tg_report *report)
{
    if (report) tg_findings_free(&report->findings);
    free(report);
}

size_t tg_report_finding_count(const tg_report *report) { return report->findings.count; }

tg_finding tg_report_finding(const tg_report *report, size_t index)
{
    const tg_found *found = &report->findings.list[index];
    const tg_loc *loc = &report->module->locs[found->loc];
    return (tg_finding){.kind = tg_finding_names[found->kind],
                        .kernel = report->kernel->name,
                        .op = found->op == TG_OP_COUNT ? "" : tg_ops[found->op].name,
                        .param = found->param ? found->param->name : "",
                        .file = loc->file,
                        .function = loc->function,
                        .line = loc->line,
                        .rank = report->kernel->axis_count,
                        .program = found->has_program ? found->program : NULL,
                        .count = found->count,
                        .message = found->message};
}

tg_run_stats tg_report_stats(const tg_report *report)
{
    return (tg_run_stats){.programs = report->result.programs,
                          .threads = report->result.threads,
                          .seconds = report->result.seconds,
                          .order = report->order,
                          .isa = report->isa,
                          .profile = report->profile};
}
