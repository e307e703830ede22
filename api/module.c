/* Modules: loading, questions about their kernels, texts. */
#include "api/module.h"

#include <stdlib.h>
#include <string.h>

#include "lower/lower.h"
#include "api/errors.h"
#include "api/options.h"
#include "base/float_env.h"
#include "base/text.h"
#include "gpu_backend/kernel/kernel.h"
#include "run/map.h"
#include "ir/print.h"
#include "ir/schema.h"
#include "loaders/json_ir.h"
#include "plan/plan.h"
#include "plan/print.h"
#include "verify/verify.h"

static tg_status verified(tg_status status, tg_module **out, tg_diags *diags)
{
    if (status == TG_OK) status = tg_module_verify(*out, diags);
    if (status == TG_OK) return TG_OK;
    tg_module_free(*out);
    *out = NULL;
    return status;
}

tg_status tg_module_load_file(const char *path, tg_module **out, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_environment saved = tg_environment_enter(); /* constants are numbers too */
    tg_status status = verified(tg_json_load_file(path, out, diags), out, diags);
    tg_environment_leave(saved);
    tg_diags_free(&unwanted);
    return status;
}

tg_status tg_module_load_text(const char *text, size_t length, tg_module **out, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_environment saved = tg_environment_enter();
    tg_status status = verified(tg_json_load(text, length, out, diags), out, diags);
    tg_environment_leave(saved);
    tg_diags_free(&unwanted);
    return status;
}

void tg_module_free(tg_module *module) { tg_module_destroy(module); }

size_t tg_module_kernel_count(const tg_module *module) { return module->kernel_count; }

const char *tg_module_kernel_name(const tg_module *module, size_t kernel)
{
    return module->kernels[kernel].name;
}

const tg_kernel *tg_api_kernel(const tg_module *module, const char *name)
{
    for (uint32_t k = 0; k < module->kernel_count; k++)
        if (!name || strcmp(module->kernels[k].name, name) == 0) return &module->kernels[k];
    return NULL;
}

tg_status tg_api_no_kernel(const char *name, tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_USAGE, NULL, "the module has no kernel \"%s\"", name);
}

static char *print_plans(const tg_module *module, tg_diags *diags)
{
    tg_text text = {0};
    for (uint32_t k = 0; k < module->kernel_count; k++) {
        tg_plan *plan;
        if (tg_plan_new(module, &module->kernels[k], &plan, diags) != TG_OK) {
            tg_text_drop(&text);
            return NULL;
        }
        char *one = tg_print_plan(plan);
        if (one)
            tg_text_put(&text, one);
        else
            text.failed = true;
        free(one);
        tg_plan_free(plan);
    }
    return tg_text_finish(&text);
}

char *tg_module_print(const tg_module *module, tg_text_format format, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    char *text = format == TG_TEXT_JSON    ? tg_print_json(module)
                 : format == TG_TEXT_PLAIN ? tg_print_text(module)
                                           : print_plans(module, diags);
    if (!text && !diags->worst) tg_no_memory(diags);
    tg_diags_free(&unwanted);
    return text;
}

/* The options of a caller whose struct may be shorter. */
static tg_status read_options(const tg_module_ptx_options *given, tg_ptx_options *out,
                              tg_diags *diags)
{
    tg_module_ptx_options all = {.size = sizeof all};
    if (given) memcpy(&all, given, given->size < sizeof all ? given->size : sizeof all);
    *out = (tg_ptx_options){.target = all.target};
    TG_TRY(tg_api_profile(all.profile, &out->is_fast, diags));
    return tg_api_tensor_core(all.tensor_core, &out->tensor_core, diags);
}

static char *print_ptx(const tg_module *module, const tg_kernel *k,
                       const tg_module_ptx_options *given, tg_diags *diags)
{
    tg_ptx_options options;
    tg_plan *plan;
    tg_ptx *ptx;
    if (read_options(given, &options, diags) != TG_OK) return NULL;
    if (tg_plan_new(module, k, &plan, diags) != TG_OK) return NULL;
    char *text = tg_ptx_emit(plan, &options, &ptx, diags) == TG_OK ? ptx->text : NULL;
    if (text) ptx->text = NULL;
    if (ptx) tg_ptx_free(ptx);
    tg_plan_free(plan);
    return text;
}

char *tg_module_ptx(const tg_module *module, const char *kernel,
                    const tg_module_ptx_options *options, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    const tg_kernel *k = tg_api_kernel(module, kernel);
    char *text = NULL;
    if (k)
        text = print_ptx(module, k, options, diags);
    else
        tg_api_no_kernel(kernel, diags);
    tg_diags_free(&unwanted);
    return text;
}

char *tg_schema(void) { return tg_schema_json(); }

char *tg_module_map(const tg_module *module, const char *kernel, const char *param,
                    tg_map_format format, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    const tg_kernel *k = tg_api_kernel(module, kernel);
    char *text = NULL;
    if (!k)
        tg_api_no_kernel(kernel, diags);
    else
        text = tg_map_draw(module, k, param, format == TG_MAP_SVG, diags);
    tg_diags_free(&unwanted);
    return text;
}

size_t tg_module_param_count(const tg_module *module, const char *kernel)
{
    const tg_kernel *k = tg_api_kernel(module, kernel);
    return k ? k->param_count : 0;
}

tg_param_info tg_module_param(const tg_module *module, const char *kernel, size_t index)
{
    const tg_kernel *k = tg_api_kernel(module, kernel);
    const tg_param *param = &k->params[index];
    return (tg_param_info){.name = param->name,
                           .role = tg_role_names[param->role],
                           .dtype = tg_dtypes[param->array.dtype].name,
                           .rank = param->array.rank,
                           .shape = param->array.shape,
                           .alias = param->alias < 0 ? NULL : k->params[param->alias].name};
}

size_t tg_module_dynamic_axes(const tg_module *module, const char *kernel)
{
    const tg_kernel *k = tg_api_kernel(module, kernel);
    size_t count = 0;
    for (int a = 0; k && a < k->axis_count; a++) count += k->axes[a].size < 0;
    return count;
}
