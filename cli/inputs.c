#include "cli/inputs.h"

#include <string.h>

#include "cli/errors.h"

/* One kernel, as far as its inputs are concerned, and those that have been read. */
typedef struct kernel_inputs {
    const tg_module *module;
    const char *kernel;
    tg_arrays *inputs;
    char twice[256]; /* an input that a file holds and that is there already; "": none */
} kernel_inputs;

/* The dtype that the kernel's input `name` has; NULL if there is no such input. */
static const char *dtype_of(const kernel_inputs *k, const char *name)
{
    for (size_t i = 0; i < tg_module_param_count(k->module, k->kernel); i++) {
        tg_param_info param = tg_module_param(k->module, k->kernel, i);
        bool input = strcmp(param.role, "input") == 0 || strcmp(param.role, "prefetch") == 0;
        if (input && strcmp(param.name, name) == 0) return param.dtype;
    }
    return NULL;
}

static bool has(const kernel_inputs *k, const char *name)
{
    return tg_arrays_find(k->inputs, name) < tg_arrays_count(k->inputs);
}

static tg_status given_twice(const char *name, tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_USAGE, NULL, "input %s is given twice", name);
}

static const char *choose(void *context, const char *name)
{
    kernel_inputs *k = context;
    const char *dtype = dtype_of(k, name);
    if (!dtype || !has(k, name)) return dtype;
    if (!k->twice[0]) snprintf(k->twice, sizeof k->twice, "%s", name);
    return NULL;
}

/* All arrays of a file that are inputs of the kernel. */
static tg_status take_all(const char *path, kernel_inputs *k, tg_diags *diags)
{
    const tg_arrays_read_options options = {sizeof options, choose, k};
    tg_errors *errors = tg_errors_new();
    TG_TRY(tg_cli_collect(diags, errors, tg_arrays_read(k->inputs, path, &options, errors)));
    return k->twice[0] ? given_twice(k->twice, diags) : TG_OK;
}

static tg_status take_one(const char *name, const char *path, kernel_inputs *k, tg_diags *diags)
{
    const char *dtype = dtype_of(k, name);
    if (!dtype) return tg_fail(diags, TG_ERR_USAGE, NULL, "the kernel has no input %s", name);
    if (has(k, name)) return given_twice(name, diags);
    tg_errors *errors = tg_errors_new();
    return tg_cli_collect(diags, errors,
                          tg_arrays_read_one(k->inputs, name, path, NULL, dtype, errors));
}

/* "NAME=FILE" or "FILE"; a '=' after a '/' belongs to the file's name. */
static tg_status take(const char *argument, kernel_inputs *k, tg_diags *diags)
{
    char name[256];
    size_t length = strcspn(argument, "=/");
    if (argument[length] != '=') return take_all(argument, k, diags);
    if (length == 0 || length >= sizeof name)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "--in %s: the name before '=' is %s", argument,
                       length ? "too long" : "empty");
    memcpy(name, argument, length);
    name[length] = '\0';
    return take_one(name, argument + length + 1, k, diags);
}

tg_status tg_cli_read_inputs(const tg_run_request *request, const tg_module *module,
                             tg_arrays *inputs, tg_diags *diags)
{
    kernel_inputs k = {module, request->kernel, inputs, ""};
    for (size_t i = 0; i < request->input_count; i++) TG_TRY(take(request->inputs[i], &k, diags));
    return TG_OK;
}
