/* f16 and bf16 as bits: their values, and their order. */
#ifndef TG_EMULATOR_HALF_BITS_H
#define TG_EMULATOR_HALF_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/float_bits.h"

/* Moves the fraction up; a product with 2^112 then corrects the exponent, also of a subnormal
 * number. */
static inline uint32_t f32_of_f16(uint32_t a)
{
    const uint32_t magnitude = a & 0x7fff, sign = (a & 0x8000) << 16;
    const uint32_t finite = bits_of_f32(f32_of_bits(magnitude << 13) * 0x1p112f) | sign;
    return magnitude > 0x7c00 ? 0x7fffffff : magnitude == 0x7c00 ? 0x7f800000 | sign : finite;
}

/* ---- order: the two differ only in the bits of inf ---- */

/* An integer in the same order, with -0 below +0. */
static inline int32_t key_16(uint32_t a)
{
    return a & 0x8000 ? -(int32_t)(a & 0x7fff) - 1 : (int32_t)a;
}
static inline uint32_t pick_16(uint32_t a, uint32_t b, bool is_a, uint32_t inf, bool nan)
{
    bool a_nan = (a & 0x7fff) > inf, b_nan = (b & 0x7fff) > inf;
    if ((a_nan && b_nan) || (nan && (a_nan || b_nan))) return 0x7fff;
    return b_nan || (!a_nan && is_a) ? a : b;
}

/* `nan`: NaN wins, and does not lose. */
static inline uint32_t least_16(uint32_t a, uint32_t b, uint32_t inf, bool nan)
{
    return pick_16(a, b, key_16(a) < key_16(b), inf, nan);
}
static inline uint32_t greatest_16(uint32_t a, uint32_t b, uint32_t inf, bool nan)
{
    return pick_16(a, b, key_16(a) > key_16(b), inf, nan);
}

#endif
