/* Bit patterns of elements in memory (tg_dtypes[].bytes each), and their values. */
#ifndef TG_IR_BITS_H
#define TG_IR_BITS_H

#include "ir/type.h"

/* Returns the pattern at `element` in the low bits, without the sign-extension bits of an i4. */
uint64_t tg_bits_load(tg_dtype dtype, const void *element);

/* Writes a pattern; an i4 is sign-extended. */
void tg_bits_store(tg_dtype dtype, uint64_t bits, void *element);

/* Whether the pattern is a NaN; false for all dtypes but floats. */
bool tg_bits_is_nan(tg_dtype dtype, uint64_t bits);

/* Returns the exact value of a float's pattern; NaN for NaN. */
double tg_bits_value(tg_dtype dtype, uint64_t bits);

/* Returns the float nearest to `value`, ties to even, as the op `convert` does: beyond the greatest
 * value inf, or NaN if the dtype has no inf.  For f8e8m0fnu, values that are not above zero give
 * NaN. */
uint64_t tg_bits_round(tg_dtype dtype, double value);

/* Returns the pattern of a value in its carrier (ir/type.h); the dtype must represent it exactly.
 * A NaN keeps its sign and the top of its payload as far as the dtype has them. */
uint64_t tg_bits_from_carrier(tg_dtype dtype, const void *carrier);

/* The inverse for floats: writes the value of the pattern in its carrier.  A NaN of an IEEE format
 * keeps its sign and its payload, at the top of the carrier's mantissa; the NaNs of the other
 * formats become the quiet NaN, with their sign if they have one. */
void tg_bits_to_carrier(tg_dtype dtype, uint64_t bits, void *carrier);

#endif
