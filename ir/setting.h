/* The setting of a run: what it imitates (`--compat`), and what it assumes about the machine that
 * the kernel is meant for (`--target`).  Other code asks the questions below and does not read the
 * members, so that each answer is in one place.  Dialects of kernels are separate: lowering handles
 * them (lower/dispatch.c). */
#ifndef TG_IR_SETTING_H
#define TG_IR_SETTING_H

#include "ir/ir.h"
#include "ir/undefined.h"

typedef enum tg_compat {
    TG_COMPAT_STRICT, /* elements outside an array are undefined, as on hardware */
    TG_COMPAT_JAX     /* like JAX's interpreter, `pallas_call(..., interpret=True)` */
} tg_compat;

typedef enum tg_target { TG_TARGET_ANY, TG_TARGET_TPU, TG_TARGET_COUNT } tg_target;

/* How products of narrow floats are summed: interp/blocks/tensor_core.h. */
typedef enum tg_tensor_core {
    TG_TENSOR_CORE_EXACT, /* as those of all other dtypes */
    TG_TENSOR_CORE_SM90,
    TG_TENSOR_CORE_SM100,
    TG_TENSOR_CORE_COUNT
} tg_tensor_core;

typedef struct tg_setting {
    tg_compat compat;
    tg_undefined_fill fill; /* TG_FILL_UNDEFINED with TG_COMPAT_JAX */
    tg_target target;
    tg_tensor_core tensor_core;
    bool zeroes_masked; /* see tg_setting_zeroes_masked */
} tg_setting;

/* The default: compat strict, target any, tensor core exact. */
extern const tg_setting tg_setting_default;

/* ---- names ---- */

/* Sets `compat`, `fill` and `zeroes_masked` from the option's text: "strict", "zero", "jax", "tpu", "tpu:zero".  Returns
 * false and sets nothing for any other text. */
bool tg_setting_read_compat(tg_setting *setting, const char *text);

/* Sets `target` from the option's text: "any", "tpu".  Returns false and sets nothing for any other
 * text. */
bool tg_setting_read_target(tg_setting *setting, const char *text);

/* Sets `tensor_core` from the option's text: "exact", "sm90", "sm100".  Returns false and sets nothing for any
 * other text. */
bool tg_setting_read_tensor_core(tg_setting *setting, const char *text);

/* The option texts that read back as this setting. */
const char *tg_setting_compat_text(const tg_setting *setting);
const char *tg_setting_target_text(const tg_setting *setting);
const char *tg_setting_tensor_core_text(tg_tensor_core core);

/* ---- products on tensor cores ---- */

/* Whether products of factors of these dtypes differ from a chain of fused multiply-adds: of f16, of bf16, of the fp8 types
 * of GPUs; and of f32, `as_tf32`, whose factors lose their low 13 bits.  Products of integers are
 * exact everywhere. */
bool tg_tensor_core_has(tg_tensor_core core, tg_dtype lhs, tg_dtype rhs, bool as_tf32);

/* The core for products that are summed in `acc`: TG_TENSOR_CORE_EXACT for such chains. */
static inline tg_tensor_core tg_tensor_core_for(tg_tensor_core core, tg_dtype acc, tg_dtype lhs,
                                                tg_dtype rhs, bool as_tf32)
{
    const bool is_other = acc == TG_DT_f32 && tg_tensor_core_has(core, lhs, rhs, as_tf32);
    return is_other ? core : TG_TENSOR_CORE_EXACT;
}

/* ---- indices outside of arrays ---- */

/* Whether blocks, slices and positions outside the array are moved inside without a finding.  JAX's
 * interpreter reads and writes through dynamic_slice, dynamic_update_slice and gather, and XLA
 * clamps their indices.  Otherwise such an access is a finding. */
static inline bool tg_setting_clamps(const tg_setting *setting)
{
    return setting->compat == TG_COMPAT_JAX;
}

/* Whether a masked slice may extend beyond the end of its ref by up to its own length.  JAX's
 * interpreter pads the ref by that much before it reads or writes with a mask, and drops the
 * padding afterwards. */
static inline bool tg_setting_pads_masked(const tg_setting *setting)
{
    return setting->compat == TG_COMPAT_JAX;
}

/* Whether a masked write skips positions outside the array.  JAX's interpreter writes them by a
 * scatter, which drops them; it clamps the positions that a load gathers from. */
static inline bool tg_setting_drops_masked_writes(const tg_setting *setting)
{
    return setting->compat == TG_COMPAT_JAX;
}

/* Whether the masked-off lanes of a load without `other` hold the elements of memory.  JAX's
 * interpreter loads all lanes, and selects between them and `other` only if the load has one.
 * Otherwise those lanes are undefined. */
static inline bool tg_setting_loads_masked_off(const tg_setting *setting)
{
    return setting->compat == TG_COMPAT_JAX;
}

/* Whether the masked-off lanes of a load without `other` are 0, and defined, as GPUs have it and kernels rely on. */
static inline bool tg_setting_zeroes_masked(const tg_setting *setting)
{
    return setting->zeroes_masked;
}

/* ---- memory that nobody has written ---- */

/* Whether an i16 may be a semaphore, which starts at 0.  JAX's interpreter uses i16 for its
 * semaphores, and fills fresh memory of that dtype with zeros. */
static inline bool tg_setting_has_i16_semaphores(const tg_setting *setting)
{
    return setting->compat == TG_COMPAT_JAX;
}

/* Whether fresh memory of the dtype is zero, which programs may rely on. */
static inline bool tg_setting_begins_zero(const tg_setting *setting, tg_dtype dtype)
{
    return tg_is_semaphore(dtype) || (dtype == TG_DT_i16 && tg_setting_has_i16_semaphores(setting));
}

/* Fills `dst` with `count` elements, in the carrier or in the memory representation, as programs
 * find them in memory that nothing has defined.
 *   compat strict  the undefined value
 *   compat jax     the same, except for dtypes that start at zero
 *   fills          like JAX's interpreter of TPU kernels: see tg_undefined_fill */
void tg_setting_fill_carrier(const tg_setting *setting, void *dst, tg_dtype dtype, size_t count);
void tg_setting_fill_memory(const tg_setting *setting, void *dst, tg_dtype dtype, size_t count);

/* ---- how a TPU runs a kernel ---- */

/* The semantics of the axis.  If the source declares none, Mosaic runs the programs of the axis one
 * after the other; otherwise they are assumed to be independent. */
static inline tg_semantics tg_setting_axis(const tg_setting *setting, const tg_grid_axis *axis)
{
    return axis->is_assumed && setting->target == TG_TARGET_TPU ? TG_SEMANTICS_ARBITRARY
                                                                : axis->semantics;
}

/* Whether `add_update` is one indivisible step.  A TPU loads, adds and stores separately. */
static inline bool tg_setting_adds_at_once(const tg_setting *setting)
{
    return setting->target != TG_TARGET_TPU;
}

/* Whether it is known which parameters programs see through windows (interp/memory/windows.h).  A
 * TPU copies blocks to VMEM and back, so several params of one array may be separate copies, and
 * the window of an output starts with arbitrary contents; arrays that stay in HBM are one memory.
 * Otherwise an output that is an alias shares its memory here; on other machines it may or may
 * not. */
static inline bool tg_setting_has_windows(const tg_setting *setting)
{
    return setting->target == TG_TARGET_TPU;
}

#endif
