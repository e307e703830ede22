/* The undefined value: the contents of padding, fresh outputs and masked-off lanes. */
#ifndef TG_IR_UNDEFINED_H
#define TG_IR_UNDEFINED_H

#include "ir/type.h"

/* What programs find in memory that nothing has defined. */
typedef enum tg_undefined_fill {
    TG_FILL_UNDEFINED, /* the undefined value */
    TG_FILL_GREATEST,  /* the greatest integer, true, and for other dtypes the undefined value: like
                         JAX's TPU interpreter */
    TG_FILL_ZERO
} tg_undefined_fill;

/* Fills `dst` by `fill`, which is not TG_FILL_UNDEFINED.  `in_memory` makes a difference for floats
 * only. */
void tg_fill_as(tg_undefined_fill fill, void *dst, tg_dtype dtype, size_t count, bool in_memory);

/* Fill `dst` with the undefined value, in the carrier or in the memory representation: a quiet NaN
 * for floats (0x7fc0dead for f32 and for narrow floats in their carrier, 0x7ff8dead00000000 for
 * f64, the plain quiet NaN for narrow floats in memory), the least value for ints and for floats
 * without NaN (0 for unsigned ints), false for bool. */
void tg_fill_undefined_carrier(void *dst, tg_dtype dtype, size_t count);
void tg_fill_undefined_memory(void *dst, tg_dtype dtype, size_t count);

#endif
