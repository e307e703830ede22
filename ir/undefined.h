/* The undefined value: what padding, fresh outputs and masked-off lanes hold. */
#ifndef TG_IR_UNDEFINED_H
#define TG_IR_UNDEFINED_H

#include "ir/type.h"

/* What programs find where nothing is defined. */
typedef enum tg_undefined_fill {
    TG_FILL_UNDEFINED, /* the undefined value */
    TG_FILL_GREATEST, /* the undefined value, but the greatest integer, and true: as JAX's TPU interpreter has it */
    TG_FILL_ZERO
} tg_undefined_fill;

/* Fills as `fill` says, which is not TG_FILL_UNDEFINED; in memory as in the carrier, floats excepted. */
void tg_fill_as(tg_undefined_fill fill, void *dst, tg_dtype dtype, size_t count, bool in_memory);

/* Fills with the undefined value: in the carrier, or in memory representation. A quiet NaN for
 * floats (f32 and its carried narrow ones 0x7fc0dead, f64 0x7ff8dead00000000, narrow ones in memory
 * their plain one), the least for ints and floats without NaN (0 for unsigned), false for bool. */
void tg_fill_undefined_carrier(void *dst, tg_dtype dtype, size_t count);
void tg_fill_undefined_memory(void *dst, tg_dtype dtype, size_t count);

#endif
