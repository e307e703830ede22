/* Floats and their bits, and the one NaN that arithmetic of PTX gives.  Of its own: the emulator shares nothing with what is held
 * against it (interp/lanes/float_bits.h says the same for the interpreter). */
#ifndef TG_EMULATOR_FLOAT_BITS_H
#define TG_EMULATOR_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bits_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint64_t bits_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_f32(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double float_f64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float canonical_f32(float value)
{
    return float_f32(value != value ? 0x7fffffff : bits_f32(value));
}

static inline double canonical_f64(double value)
{
    return float_f64(value != value ? UINT64_C(0x7ff8000000000000) : bits_f64(value));
}

#endif
