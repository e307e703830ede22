#include "cli/inputs.h"

#include <string.h>

#include "loaders/npz.h"
#include "loaders/tensor_file.h"

/* One kernel, as far as its inputs are concerned. */
typedef struct kernel_inputs {
    const tg_module *module;
    const char *kernel;
} kernel_inputs;

/* The dtype that the kernel's input `name` has; TG_DT_COUNT if there is no such input. */
static tg_dtype expected(void *context, const char *name)
{
    const kernel_inputs *k = context;
    for (size_t i = 0; i < tg_module_param_count(k->module, k->kernel); i++) {
        tg_param_info param = tg_module_param(k->module, k->kernel, i);
        bool input = strcmp(param.role, "input") == 0 || strcmp(param.role, "prefetch") == 0;
        if (input && strcmp(param.name, name) == 0) return tg_dtype_by_name(param.dtype);
    }
    return TG_DT_COUNT;
}

static tg_status add(tg_tensors *inputs, const char *name, tg_tensor *tensor, tg_diags *diags)
{
    tg_status status = tg_tensors_add(inputs, name, tensor);
    if (status == TG_ERR_INVALID)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "input %s is given twice", name);
    return status == TG_OK ? TG_OK : tg_fail(diags, status, NULL, "no memory for input %s", name);
}

static tg_status read_archive(const char *path, kernel_inputs *k, tg_tensors *out, tg_diags *diags)
{
    const char *ending = strrchr(path, '.');
    tg_npz_opts opts = {.expect = expected, .context = k};
    if (ending && strcmp(ending, ".npz") == 0) return tg_npz_load(path, &opts, out, diags);
    return tg_tensor_file_load_all(path, out, diags);
}

/* All arrays of a file that are inputs of the kernel. */
static tg_status take_all(const char *path, kernel_inputs *k, tg_tensors *inputs, tg_diags *diags)
{
    tg_tensors found = {0};
    tg_status status = read_archive(path, k, &found, diags);
    for (size_t i = 0; status == TG_OK && i < found.count; i++)
        if (expected(k, found.list[i].name) != TG_DT_COUNT)
            status = add(inputs, found.list[i].name, &found.list[i].tensor, diags);
    tg_tensors_free(&found);
    return status;
}

static tg_status take_one(const char *name, const char *path, kernel_inputs *k, tg_tensors *inputs,
                          tg_diags *diags)
{
    tg_tensor tensor;
    tg_dtype dtype = expected(k, name);
    if (dtype == TG_DT_COUNT)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "the kernel has no input %s", name);
    TG_TRY(tg_tensor_file_load(path, NULL, dtype, &tensor, diags));
    return add(inputs, name, &tensor, diags);
}

/* "NAME=FILE" or "FILE"; a '=' after a '/' belongs to the file's name. */
static tg_status take(const char *argument, kernel_inputs *k, tg_tensors *inputs, tg_diags *diags)
{
    char name[256];
    size_t length = strcspn(argument, "=/");
    if (argument[length] != '=') return take_all(argument, k, inputs, diags);
    if (length == 0 || length >= sizeof name)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "--in %s: the name before '=' is %s", argument,
                       length ? "too long" : "empty");
    memcpy(name, argument, length);
    name[length] = '\0';
    return take_one(name, argument + length + 1, k, inputs, diags);
}

tg_status tg_cli_read_inputs(const tg_run_request *request, const tg_module *module,
                             tg_tensors *inputs, tg_diags *diags)
{
    kernel_inputs k = {module, request->kernel};
    for (size_t i = 0; i < request->input_count; i++)
        TG_TRY(take(request->inputs[i], &k, inputs, diags));
    return TG_OK;
}
