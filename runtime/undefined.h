/* The undefined value: what padding, fresh outputs and masked-off lanes hold. */
#ifndef TG_RUNTIME_UNDEFINED_H
#define TG_RUNTIME_UNDEFINED_H

#include "ir/type.h"

/* Fills with the undefined value: in the carrier, or in memory representation. A quiet NaN for
 * floats (f32 and its carried narrow ones 0x7fc0dead, f64 0x7ff8dead00000000, narrow ones in memory
 * their plain one), the least for ints and floats without NaN (0 for unsigned), false for bool. */
void tg_fill_undefined_carrier(void *dst, tg_dtype dtype, size_t count);
void tg_fill_undefined_memory(void *dst, tg_dtype dtype, size_t count);

#endif
