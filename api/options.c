/* What the options of a run ask for. */
#include "api/options.h"

#include <string.h>

#include "checks/checks.h"
#include "interp/elementwise/elementwise.h"

enum { MOST_WARPS = 32 }; /* a program has at most 1024 threads */

tg_run_options tg_api_options(const tg_run_options *options)
{
    tg_run_options all = {.size = sizeof all};
    if (options) memcpy(&all, options, options->size < sizeof all ? options->size : sizeof all);
    return all;
}

tg_mesh_options tg_api_mesh_options(const tg_mesh_options *options)
{
    tg_mesh_options all = {.size = sizeof all};
    if (options) memcpy(&all, options, options->size < sizeof all ? options->size : sizeof all);
    return all;
}

tg_status tg_api_profile(const char *name, bool *is_fast, tg_diags *diags)
{
    *is_fast = name && strcmp(name, "fast") == 0;
    if (!name || *is_fast || strcmp(name, "reference") == 0) return TG_OK;
    return tg_fail(diags, TG_ERR_USAGE, NULL, "profile \"%s\" is neither reference nor fast", name);
}

tg_status tg_api_tensor_core(const char *name, tg_tensor_core *core, tg_diags *diags)
{
    tg_setting setting = tg_setting_default;
    if (name && !tg_setting_read_tensor_core(&setting, name))
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "tensor core \"%s\" is none of exact, sm90, sm100", name);
    *core = setting.tensor_core;
    return TG_OK;
}

/* The instruction set whose name is given, or the best one of this machine. */
static tg_status set_isa(const char *name, const char **isa, tg_diags *diags)
{
    const tg_elementwise *lanes = tg_elementwise_get(name);
    if (!lanes)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "instruction set \"%s\" is unknown or not on this machine",
                       name ? name : "");
    *isa = tg_elementwise_isa(lanes);
    return TG_OK;
}

static tg_status set_setting(const tg_run_options *options, tg_setting *setting, tg_diags *diags)
{
    *setting = tg_setting_default;
    if (options->compat && !tg_setting_read_compat(setting, options->compat))
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "compat \"%s\" is none of strict, zero, jax, tpu, tpu:zero",
                       options->compat);
    if (options->target && !tg_setting_read_target(setting, options->target))
        return tg_fail(diags, TG_ERR_USAGE, NULL, "target \"%s\" is neither any nor tpu",
                       options->target);
    return tg_api_tensor_core(options->tensor_core, &setting->tensor_core, diags);
}

tg_status tg_api_read_options(const tg_run_options *options, tg_run_job *out, tg_diags *diags)
{
    *out = (tg_run_job){.options = options};
    TG_TRY(tg_order_parse(options->order ? options->order : "sequential", &out->order, diags));
    TG_TRY(set_setting(options, &out->setting, diags));
    TG_TRY(tg_checks_parse(options->checks ? options->checks : "none", &out->checks, diags));
    TG_TRY(tg_traps_parse(options->trap ? options->trap : "none", &out->traps, diags));
    TG_TRY(tg_api_profile(options->profile, &out->is_fast, diags));
    TG_TRY(set_isa(options->isa, &out->isa, diags));
    if (options->max_steps < 0)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "max_steps is %lld; it is 0 for no limit, or more",
                       (long long)options->max_steps);
    if (options->warps < 0 || options->warps > MOST_WARPS)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "warps is %d; it is 1 to %d, or 0 for 4",
                       options->warps, MOST_WARPS);
    return TG_OK;
}
