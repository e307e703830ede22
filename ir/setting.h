/* What a run takes for granted of the machine that the kernel is meant for, and what it imitates:
 * `--compat` and `--target`.  Users ask the questions below and do not look at the members, so
 * that each answer has one place.  Kernels' dialects are another matter: lowering settles them
 * (lower/dispatch.c). */
#ifndef TG_IR_SETTING_H
#define TG_IR_SETTING_H

#include "ir/ir.h"
#include "ir/undefined.h"

typedef enum tg_compat {
    TG_COMPAT_STRICT, /* what lies outside an array is undefined, as on hardware */
    TG_COMPAT_JAX     /* as JAX's interpreter, `pallas_call(..., interpret=True)` */
} tg_compat;

typedef enum tg_target { TG_TARGET_ANY, TG_TARGET_TPU, TG_TARGET_COUNT } tg_target;

typedef struct tg_setting {
    tg_compat compat;
    tg_undefined_fill fill; /* TG_FILL_UNDEFINED with TG_COMPAT_JAX */
    tg_target target;
} tg_setting;

/* Compat strict, target any: what holds where nobody asks for anything else. */
extern const tg_setting tg_setting_default;

/* ---- names ---- */

/* Sets `compat` and `fill` as the option's text says: "strict", "jax", "tpu", "tpu:zero".  False,
 * and nothing is set, for another one. */
bool tg_setting_read_compat(tg_setting *setting, const char *text);

/* Sets `target`: "any", "tpu".  False, and nothing is set, for another text. */
bool tg_setting_read_target(tg_setting *setting, const char *text);

/* The texts that read back as the setting. */
const char *tg_setting_compat_text(const tg_setting *setting);
const char *tg_setting_target_text(const tg_setting *setting);

/* ---- indices from outside ---- */

/* Whether blocks, slices and positions that lie outside are moved inside, and nobody is told.
 * JAX's interpreter reads and writes through dynamic_slice, dynamic_update_slice and gather, and
 * XLA clamps what these are given.  Elsewhere such an access is a finding. */
static inline bool tg_setting_clamps(const tg_setting *setting)
{
    return setting->compat == TG_COMPAT_JAX;
}

/* Whether a masked slice may hang over the end of its ref by its own length.  JAX's interpreter
 * pads the ref by as much before it reads or writes with a mask; the padding is not kept. */
static inline bool tg_setting_pads_masked(const tg_setting *setting)
{
    return setting->compat == TG_COMPAT_JAX;
}

/* Whether a masked write leaves out positions that lie outside.  JAX's interpreter writes them by
 * a scatter, which drops them; it clamps those that a load gathers from. */
static inline bool tg_setting_drops_masked_writes(const tg_setting *setting)
{
    return setting->compat == TG_COMPAT_JAX;
}

/* Whether lanes that the mask of a load turns off, where the load says nothing of them, hold what
 * memory holds.  JAX's interpreter loads all lanes, and selects between them and `other` only
 * where there is one.  Elsewhere those lanes are undefined. */
static inline bool tg_setting_loads_masked_off(const tg_setting *setting)
{
    return setting->compat == TG_COMPAT_JAX;
}

/* ---- memory that nobody has written ---- */

/* Whether an i16 may be a semaphore, which begins with 0.  JAX's interpreter makes its semaphores
 * of i16, and fresh memory of that dtype of zeros. */
static inline bool tg_setting_has_i16_semaphores(const tg_setting *setting)
{
    return setting->compat == TG_COMPAT_JAX;
}

/* Whether memory of the dtype begins with zeros, which programs may rely on. */
static inline bool tg_setting_begins_zero(const tg_setting *setting, tg_dtype dtype)
{
    return tg_is_semaphore(dtype) || (dtype == TG_DT_i16 && tg_setting_has_i16_semaphores(setting));
}

/* Fills `dst` with `count` elements as programs find them where nothing is defined: as carriers, or
 * as memory holds them.
 *   compat strict  the undefined value
 *   compat jax     likewise, but for what begins with zeros
 *   fills          as JAX's interpreter of TPU kernels fills: see tg_undefined_fill */
void tg_setting_fill_carrier(const tg_setting *setting, void *dst, tg_dtype dtype, size_t count);
void tg_setting_fill_memory(const tg_setting *setting, void *dst, tg_dtype dtype, size_t count);

/* ---- what a TPU makes of a kernel ---- */

/* What the axis means.  Mosaic runs the programs of an axis that nobody declares one after the
 * other; elsewhere they are taken to be independent. */
static inline tg_semantics tg_setting_axis(const tg_setting *setting, const tg_axis *axis)
{
    return axis->is_assumed && setting->target == TG_TARGET_TPU ? TG_AXIS_ARBITRARY
                                                                : axis->semantics;
}

/* Whether `add_update` is one step that no other program can come between.  A TPU loads, adds and
 * stores. */
static inline bool tg_setting_adds_at_once(const tg_setting *setting)
{
    return setting->target != TG_TARGET_TPU;
}

/* Whether it is known which parameters programs find in windows (interp/memory/windows.h).  A TPU
 * copies blocks to VMEM and back, so the names of one array may mean several copies, and the window
 * of an output begins with anything; what is left in HBM is one memory.  Elsewhere an output that
 * is an alias shares its memory here, and on other machines it may or may not. */
static inline bool tg_setting_has_windows(const tg_setting *setting)
{
    return setting->target == TG_TARGET_TPU;
}

#endif
