/* A runner in C: Tilegrind's own library, as `tilegrind conform -- ./library_runner` judges it.
 *
 *   cc -std=c11 -D_GNU_SOURCE library_runner.c -o library_runner $(pkg-config --cflags --libs tilegrind)
 */
#include "tilegrind_runner.h"

#include <tilegrind/tilegrind.h>

enum { MAX_PARAMS = 64 };

static tgr_result fail(tg_status status, tg_errors *errors, char *why)
{
    const char *text =
        tg_errors_count(errors) ? tg_errors_get(errors, 0).message : tg_status_name(status);
    snprintf(why, TGR_WHY, "%s", text);
    tg_errors_free(errors);
    return status == TG_ERR_UNSUPPORTED ? TGR_UNSUPPORTED : TGR_ERROR;
}

static tgr_result load(void *context, const char *path, void **kernel, char *why)
{
    (void)context;
    tg_errors *errors = tg_errors_new();
    tg_module *module = NULL;
    tg_status status = tg_module_load_file(path, &module, errors);
    if (status != TG_OK) return fail(status, errors, why);
    tg_errors_free(errors);
    *kernel = module;
    return TGR_OK;
}

/* The array of a parameter; false if the file has none. */
static bool array_of(tg_param_info param, const tgr_call *call, tg_array *out)
{
    const tgr_tensor *tensor =
        tgr_find(strcmp(param.role, "output") ? call->inputs : call->outputs, param.name);
    if (!tensor) return false;
    out->name = param.name;
    out->tensor.data = tensor->data;
    out->tensor.device.device_type = 1; /* the CPU */
    out->tensor.ndim = param.rank;
    out->tensor.dtype = tg_dtype_to_dlpack(param.dtype);
    out->tensor.shape = (int64_t *)(uintptr_t)param.shape;
    return true;
}

static tgr_result run(void *context, void *kernel, const tgr_call *call, char *why)
{
    (void)context;
    const tg_module *module = kernel;
    tg_array arrays[MAX_PARAMS] = {0};
    size_t count = 0;
    for (size_t i = 0; i < tg_module_param_count(module, NULL) && count < MAX_PARAMS; i++) {
        tg_param_info param = tg_module_param(module, NULL, i);
        if (strcmp(param.role, "scratch") && array_of(param, call, &arrays[count])) count++;
    }
    tg_run_options options = {.size = sizeof options, .order = call->order};
    options.dynamic_grid = call->grid;
    options.dynamic_grid_count = call->grid_count;
    tg_errors *errors = tg_errors_new();
    tg_report *report = NULL;
    tg_status status = tg_run(module, NULL, arrays, count, &options, &report, errors);
    tg_report_free(report);
    if (status != TG_OK) return fail(status, errors, why);
    tg_errors_free(errors);
    return TGR_OK;
}

static void drop(void *context, void *kernel)
{
    (void)context;
    tg_module_free(kernel);
}

int main(void)
{
    static const tgr_runner runner = {
        .hello = "\"implementation\":{\"name\":\"tilegrind, from C\",\"version\":\"0.1\"},"
                 "\"ir\":[\"0.1\"],\"contract\":\"reference\",\"tensors\":\"shm\"",
        .load = load,
        .run = run,
        .drop = drop,
    };
    return tgr_serve(&runner);
}
