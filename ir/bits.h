/* Elements as memory holds them (tg_dtypes[].bytes each): their bit patterns, and what they mean. */
#ifndef TG_IR_BITS_H
#define TG_IR_BITS_H

#include "ir/type.h"

/* The pattern at `element`, in the low bits; the sign bits of an i4 are cut off. */
uint64_t tg_bits_load(tg_dtype dtype, const void *element);

/* Writes a pattern; an i4 is sign-extended. */
void tg_bits_store(tg_dtype dtype, uint64_t bits, void *element);

/* False for all but floats. */
bool tg_bits_is_nan(tg_dtype dtype, uint64_t bits);

/* The value of a float's pattern, exactly; NaN for NaN. */
double tg_bits_value(tg_dtype dtype, uint64_t bits);

/* The float nearest to `value`, ties to even, as the op `convert` gives it: beyond the greatest value inf,
 * or NaN where the dtype has no inf.  f8e8m0fnu gives NaN for what is not above zero. */
uint64_t tg_bits_round(tg_dtype dtype, double value);

/* The pattern of a value held in its carrier (ir/type.h), which must be exact in the dtype.  A NaN keeps its
 * sign and the top of its payload as far as the dtype has them. */
uint64_t tg_bits_from_carrier(tg_dtype dtype, const void *carrier);

/* The way back for a float: its pattern's value in its carrier.  A NaN of an IEEE format keeps sign and
 * payload, at the top of the carrier's mantissa; those of the other formats become the quiet NaN, with the
 * sign if they have one. */
void tg_bits_to_carrier(tg_dtype dtype, uint64_t bits, void *carrier);

#endif
