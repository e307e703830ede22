/* Runs of kernels on arrays by name. */
#include <stdlib.h>
#include <string.h>

#include "api/arrays.h"
#include "api/errors.h"
#include "api/module.h"

static tg_type type_of(const tg_param_info *param)
{
    tg_type type = {.dtype = tg_dtype_by_name(param->dtype), .rank = param->rank};
    memcpy(type.shape, param->shape, (size_t)param->rank * sizeof *type.shape);
    return type;
}

static bool is_output(const tg_param_info *param) { return strcmp(param->role, "output") == 0; }
static bool is_scratch(const tg_param_info *param) { return strcmp(param->role, "scratch") == 0; }

static tg_status check_input(const tg_param_info *param, const tg_tensors *inputs, tg_diags *diags)
{
    char wanted[TG_TYPE_TEXT], given[TG_TYPE_TEXT];
    tg_type type = type_of(param);
    const tg_tensor *tensor = tg_tensors_find(inputs, param->name);
    tg_type_print(&type, wanted, sizeof wanted);
    if (!tensor)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "input %s of type %s is missing", param->name,
                       wanted);
    if (tg_same_type(&tensor->type, &type)) return TG_OK;
    return tg_fail(diags, TG_ERR_USAGE, NULL, "input %s is %s, but the kernel takes %s",
                   param->name, tg_type_print(&tensor->type, given, sizeof given), wanted);
}

/* Whether the kernel has an input called `name`. */
static bool is_input(const tg_module *module, const char *kernel, const char *name)
{
    for (size_t i = 0; i < tg_module_param_count(module, kernel); i++) {
        tg_param_info param = tg_module_param(module, kernel, i);
        if (!is_output(&param) && !is_scratch(&param) && strcmp(param.name, name) == 0) return true;
    }
    return false;
}

static tg_status check_inputs(const tg_module *module, const char *kernel, const tg_tensors *inputs,
                              tg_diags *diags)
{
    tg_status worst = TG_OK;
    for (size_t i = 0; i < tg_module_param_count(module, kernel); i++) {
        tg_param_info param = tg_module_param(module, kernel, i);
        if (is_output(&param) || is_scratch(&param)) continue;
        if (check_input(&param, inputs, diags) != TG_OK) worst = TG_ERR_USAGE;
    }
    for (size_t i = 0; i < inputs->count; i++)
        if (!is_input(module, kernel, inputs->list[i].name))
            worst = tg_fail(diags, TG_ERR_USAGE, NULL, "the kernel has no input %s",
                            inputs->list[i].name);
    return worst;
}

/* Adds a tensor for each output. */
static tg_status make_outputs(const tg_module *module, const char *kernel, tg_tensors *outputs,
                              tg_diags *diags)
{
    for (size_t i = 0; i < tg_module_param_count(module, kernel); i++) {
        tg_param_info param = tg_module_param(module, kernel, i);
        if (!is_output(&param)) continue;
        tg_type type = type_of(&param);
        tg_tensor tensor;
        tg_status status = tg_tensor_new(&type, &tensor);
        if (status == TG_OK) status = tg_tensors_add(outputs, param.name, &tensor);
        if (status != TG_OK)
            return tg_fail(diags, status, NULL, "no memory for output %s", param.name);
    }
    return TG_OK;
}

static tg_status run_on(const tg_run_hook *hook, const tg_module *module, const char *kernel,
                        const tg_array *arrays, size_t count, const tg_run_options *options,
                        tg_report **report, tg_errors *errors)
{
    if (!hook) return tg_run(module, kernel, arrays, count, options, report, errors);
    return hook->run(hook->context, module, kernel, arrays, count, options, report, errors);
}

/* Inputs and outputs in one list, which the caller frees; NULL without memory. */
static tg_array *list_of(const tg_arrays *inputs, const tg_arrays *outputs)
{
    tg_array *list = calloc(inputs->count + outputs->count + 1, sizeof *list);
    for (size_t i = 0; list && i < inputs->count; i++) list[i] = tg_arrays_get(inputs, i);
    for (size_t i = 0; list && i < outputs->count; i++)
        list[inputs->count + i] = tg_arrays_get(outputs, i);
    return list;
}

static tg_status prepare(const tg_module *module, const char *kernel, const tg_arrays *inputs,
                         tg_arrays *outputs, tg_diags *diags)
{
    if (!tg_api_kernel(module, kernel)) return tg_api_no_kernel(kernel, diags);
    if (outputs->count)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "there are arrays among the outputs already");
    TG_TRY(check_inputs(module, kernel, inputs, diags));
    return make_outputs(module, kernel, outputs, diags);
}

tg_status tg_arrays_run(const tg_module *module, const char *kernel, const tg_arrays *inputs,
                        const tg_run_options *options, const tg_run_hook *hook, tg_arrays *outputs,
                        tg_report **report, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    *report = NULL;
    tg_status status = prepare(module, kernel, inputs, outputs, diags);
    tg_array *list = status == TG_OK ? list_of(inputs, outputs) : NULL;
    if (list)
        status = run_on(hook, module, kernel, list, inputs->count + outputs->count, options, report,
                        errors);
    else if (status == TG_OK)
        status = tg_no_memory(diags);
    free(list);
    tg_diags_free(&unwanted);
    return status;
}
