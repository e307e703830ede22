/* The canonical NaN, which is the only NaN that PTX arithmetic returns. */
#ifndef TG_EMULATOR_CANONICAL_H
#define TG_EMULATOR_CANONICAL_H

#include "base/float_bits.h"

static inline float canonical_f32(float value)
{
    return f32_of_bits(value != value ? 0x7fffffff : bits_of_f32(value));
}

static inline double canonical_f64(double value)
{
    return f64_of_bits(value != value ? UINT64_C(0x7ff8000000000000) : bits_of_f64(value));
}

#endif
