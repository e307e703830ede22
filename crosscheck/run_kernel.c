#include "crosscheck/run_kernel.h"

#include <stdlib.h>
#include <string.h>

static void take_errors(tg_diags *diags, const tg_errors *errors)
{
    char before[sizeof diags->file];
    memcpy(before, diags->file, sizeof before);
    for (size_t i = 0; i < tg_errors_count(errors); i++) {
        tg_error error = tg_errors_get(errors, i);
        /* The path comes printed, "/kernels/0"; as one key it prints the same again. */
        tg_path at = {NULL, error.where && error.where[0] ? error.where + 1 : "", 0};
        tg_diags_set_file(diags, error.file);
        tg_fail_at(diags, error.status, at.key[0] ? &at : NULL, error.offset, "%s", error.message);
    }
    tg_diags_set_file(diags, before);
}

tg_status tg_load_kernel_file(const char *path, tg_module **out, tg_diags *diags)
{
    *out = NULL;
    tg_errors *errors = tg_errors_new();
    if (!errors) return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory to load %s", path);
    tg_status status = tg_module_load_file(path, out, errors);
    take_errors(diags, errors);
    tg_errors_free(errors);
    return status;
}

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

static tg_array array_of(const char *name, tg_tensor *tensor)
{
    tg_dltensor view = {.data = tensor->data, .device = {1, 0}, .ndim = tensor->type.rank};
    view.dtype = tg_dtype_to_dlpack(tg_dtypes[tensor->type.dtype].name);
    view.shape = tensor->type.shape;
    return (tg_array){name, view};
}

static tg_status run_on(tg_run_function *run, const tg_module *module, const char *kernel,
                        const tg_tensors *inputs, const tg_run_options *options,
                        tg_tensors *outputs, tg_report **report, tg_diags *diags)
{
    size_t count = 0;
    tg_array *arrays = calloc(inputs->count + outputs->count + 1, sizeof *arrays);
    tg_errors *errors = tg_errors_new();
    tg_status status = TG_ERR_NO_MEMORY;
    if (arrays && errors) {
        for (size_t i = 0; i < inputs->count; i++)
            arrays[count++] = array_of(inputs->list[i].name, &inputs->list[i].tensor);
        for (size_t i = 0; i < outputs->count; i++)
            arrays[count++] = array_of(outputs->list[i].name, &outputs->list[i].tensor);
        status = run(module, kernel, arrays, count, options, report, errors);
        take_errors(diags, errors);
    } else {
        tg_fail(diags, status, NULL, "no memory to launch the kernel");
    }
    tg_errors_free(errors);
    free(arrays);
    return status;
}

static bool has_kernel(const tg_module *module, const char *kernel)
{
    for (size_t i = 0; i < tg_module_kernel_count(module); i++)
        if (!kernel || strcmp(tg_module_kernel_name(module, i), kernel) == 0) return true;
    return false;
}

tg_status tg_run_kernel(tg_run_function *run, const tg_module *module, const char *kernel,
                        const tg_tensors *inputs, const tg_run_options *options,
                        tg_tensors *outputs, tg_report **report, tg_diags *diags)
{
    *report = NULL;
    if (!has_kernel(module, kernel))
        return tg_fail(diags, TG_ERR_USAGE, NULL, "the module has no kernel %s", kernel);
    TG_TRY(check_inputs(module, kernel, inputs, diags));
    TG_TRY(make_outputs(module, kernel, outputs, diags));
    return run_on(run, module, kernel, inputs, options, outputs, report, diags);
}
