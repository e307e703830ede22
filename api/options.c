/* What the options of a run ask for. */
#include "api/options.h"

#include <string.h>

tg_run_options tg_api_options(const tg_run_options *options)
{
    tg_run_options all = {.size = sizeof all};
    if (options) memcpy(&all, options, options->size < sizeof all ? options->size : sizeof all);
    return all;
}

bool tg_is_remote(const tg_run_options *options)
{
    return options->backend && strcmp(options->backend, "cpu") != 0;
}

tg_status tg_api_profile(const char *name, bool *is_fast, tg_diags *diags)
{
    *is_fast = name && strcmp(name, "fast") == 0;
    if (!name || *is_fast || strcmp(name, "reference") == 0) return TG_OK;
    return tg_fail(diags, TG_ERR_USAGE, NULL, "profile \"%s\" is neither reference nor fast", name);
}

/* The functions of the instruction set and the profile asked for; a remote backend brings its own fast ones. */
static tg_status set_lanes(const tg_run_options *options, tg_run_settings *settings,
                           tg_diags *diags)
{
    const char *missing;
    bool is_fast;
    TG_TRY(tg_api_profile(options->profile, &is_fast, diags));
    settings->lanes = tg_lanes_get(options->isa);
    if (!settings->lanes)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "instruction set \"%s\" is unknown or not on this machine",
                       options->isa ? options->isa : "");
    if (is_fast && !tg_is_remote(options) &&
        !(settings->lanes = tg_lanes_fast(settings->lanes, &missing)))
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "%s, so profile fast cannot run", missing);
    return TG_OK;
}

static tg_status set_setting(const tg_run_options *options, tg_setting *setting, tg_diags *diags)
{
    *setting = tg_setting_default;
    if (options->compat && !tg_setting_read_compat(setting, options->compat))
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "compat \"%s\" is none of strict, jax, tpu, tpu:zero", options->compat);
    if (options->target && !tg_setting_read_target(setting, options->target))
        return tg_fail(diags, TG_ERR_USAGE, NULL, "target \"%s\" is neither any nor tpu",
                       options->target);
    return TG_OK;
}

tg_status tg_api_set_settings(const tg_run_options *options, tg_run_settings *settings,
                              tg_diags *diags)
{
    TG_TRY(tg_order_parse(options->order ? options->order : "sequential", &settings->order, diags));
    TG_TRY(set_setting(options, &settings->setting, diags));
    TG_TRY(tg_checks_parse(options->checks ? options->checks : "none", &settings->checks, diags));
    TG_TRY(tg_traps_parse(options->trap ? options->trap : "none", &settings->traps, diags));
    TG_TRY(set_lanes(options, settings, diags));
    if (options->max_steps < 0)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "max_steps is %lld; it is 0 for no limit, or more",
                       (long long)options->max_steps);
    settings->most_turns = options->max_steps;
    settings->progress = options->progress;
    settings->print = options->print;
    settings->context = options->context;
    settings->executor = options->executor;
    return TG_OK;
}
