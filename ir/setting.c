#include "ir/setting.h"

#include <string.h>

const tg_setting tg_setting_default = {TG_COMPAT_STRICT, TG_FILL_UNDEFINED, TG_TARGET_ANY,
                                       TG_TENSOR_CORE_EXACT, false};

/* ---- names ---- */

typedef struct mode {
    const char *text;
    tg_compat compat;
    tg_undefined_fill fill;
    bool zeroes_masked;
} mode;

static const mode modes[] = {{"strict", TG_COMPAT_STRICT, TG_FILL_UNDEFINED, false},
                             {"zero", TG_COMPAT_STRICT, TG_FILL_UNDEFINED, true},
                             {"jax", TG_COMPAT_JAX, TG_FILL_UNDEFINED, false},
                             {"tpu", TG_COMPAT_STRICT, TG_FILL_GREATEST, false},
                             {"tpu:zero", TG_COMPAT_STRICT, TG_FILL_ZERO, false}};

enum { MODES = sizeof modes / sizeof *modes };

static const char *const targets[TG_TARGET_COUNT] = {
    [TG_TARGET_ANY] = "any", [TG_TARGET_TPU] = "tpu"};

static const char *const tensor_cores[TG_TENSOR_CORE_COUNT] = {[TG_TENSOR_CORE_EXACT] = "exact",
                                                               [TG_TENSOR_CORE_SM90] = "sm90",
                                                               [TG_TENSOR_CORE_SM100] = "sm100"};

bool tg_setting_read_compat(tg_setting *setting, const char *text)
{
    for (int i = 0; i < MODES; i++) {
        if (strcmp(text, modes[i].text) != 0) continue;
        setting->compat = modes[i].compat;
        setting->fill = modes[i].fill;
        setting->zeroes_masked = modes[i].zeroes_masked;
        return true;
    }
    return false;
}

/* The number of the text among `count`; -1: it is none of them. */
static int number_of(const char *text, const char *const *texts, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(text, texts[i]) == 0) return i;
    return -1;
}

bool tg_setting_read_target(tg_setting *setting, const char *text)
{
    const int number = number_of(text, targets, TG_TARGET_COUNT);
    if (number >= 0) setting->target = (tg_target)number;
    return number >= 0;
}

bool tg_setting_read_tensor_core(tg_setting *setting, const char *text)
{
    const int number = number_of(text, tensor_cores, TG_TENSOR_CORE_COUNT);
    if (number >= 0) setting->tensor_core = (tg_tensor_core)number;
    return number >= 0;
}

const char *tg_setting_compat_text(const tg_setting *setting)
{
    for (int i = 1; i < MODES; i++)
        if (setting->compat == modes[i].compat && setting->fill == modes[i].fill &&
            setting->zeroes_masked == modes[i].zeroes_masked)
            return modes[i].text;
    return modes[0].text;
}

const char *tg_setting_target_text(const tg_setting *setting) { return targets[setting->target]; }

const char *tg_setting_tensor_core_text(tg_tensor_core core) { return tensor_cores[core]; }

/* ---- products on tensor cores ---- */

static bool is_fp8(tg_dtype d) { return d == TG_DT_f8e4m3fn || d == TG_DT_f8e5m2; }

bool tg_tensor_core_has(tg_tensor_core core, tg_dtype lhs, tg_dtype rhs, bool as_tf32)
{
    if (core == TG_TENSOR_CORE_EXACT) return false;
    if (is_fp8(lhs)) return is_fp8(rhs);
    return lhs == rhs && (lhs == TG_DT_f16 || lhs == TG_DT_bf16 || (lhs == TG_DT_f32 && as_tf32));
}

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
