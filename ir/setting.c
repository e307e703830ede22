#include "ir/setting.h"

#include <string.h>

const tg_setting tg_setting_default = {TG_COMPAT_STRICT, TG_FILL_UNDEFINED, TG_TARGET_ANY};

/* ---- names ---- */

typedef struct mode {
    const char *text;
    tg_compat compat;
    tg_undefined_fill fill;
} mode;

static const mode modes[] = {{"strict", TG_COMPAT_STRICT, TG_FILL_UNDEFINED},
                             {"jax", TG_COMPAT_JAX, TG_FILL_UNDEFINED},
                             {"tpu", TG_COMPAT_STRICT, TG_FILL_GREATEST},
                             {"tpu:zero", TG_COMPAT_STRICT, TG_FILL_ZERO}};

enum { MODES = sizeof modes / sizeof *modes };

static const char *const targets[TG_TARGET_COUNT] = {
    [TG_TARGET_ANY] = "any", [TG_TARGET_TPU] = "tpu"};

bool tg_setting_read_compat(tg_setting *setting, const char *text)
{
    for (int i = 0; i < MODES; i++) {
        if (strcmp(text, modes[i].text) != 0) continue;
        setting->compat = modes[i].compat;
        setting->fill = modes[i].fill;
        return true;
    }
    return false;
}

bool tg_setting_read_target(tg_setting *setting, const char *text)
{
    for (int i = 0; i < TG_TARGET_COUNT; i++) {
        if (strcmp(text, targets[i]) != 0) continue;
        setting->target = (tg_target)i;
        return true;
    }
    return false;
}

const char *tg_setting_compat_text(const tg_setting *setting)
{
    for (int i = 1; i < MODES; i++)
        if (setting->compat == modes[i].compat && setting->fill == modes[i].fill)
            return modes[i].text;
    return modes[0].text;
}

const char *tg_setting_target_text(const tg_setting *setting) { return targets[setting->target]; }

/* ---- memory that nobody has written ---- */

/* Whether the dtype must be zeroed.  Other semaphores need not be: their undefined value is 0. */
static bool is_i16_semaphore(const tg_setting *setting, tg_dtype dtype)
{
    return dtype == TG_DT_i16 && tg_setting_has_i16_semaphores(setting);
}

void tg_setting_fill_carrier(const tg_setting *setting, void *dst, tg_dtype dtype, size_t count)
{
    if (setting->fill)
        tg_fill_as(setting->fill, dst, dtype, count, false);
    else if (is_i16_semaphore(setting, dtype))
        memset(dst, 0, count * tg_carrier_bytes[tg_carrier_of(dtype)]);
    else
        tg_fill_undefined_carrier(dst, dtype, count);
}

void tg_setting_fill_memory(const tg_setting *setting, void *dst, tg_dtype dtype, size_t count)
{
    if (setting->fill)
        tg_fill_as(setting->fill, dst, dtype, count, true);
    else if (is_i16_semaphore(setting, dtype))
        memset(dst, 0, count * tg_dtypes[dtype].bytes);
    else
        tg_fill_undefined_memory(dst, dtype, count);
}
