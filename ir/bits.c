#include "ir/bits.h"

#include <math.h>
#include <string.h>

static uint64_t sign_bit(const tg_dtype_info *info)
{
    return info->special == TG_SPECIAL_E8M0 ? 0 : (uint64_t)1 << (info->bits - 1);
}

/* All significant bits of an element; for a bool, the whole byte. */
static uint8_t code_mask(const tg_dtype_info *info)
{
    unsigned bits = info->kind == TG_KIND_BOOL ? 8 : info->bits;
    return (uint8_t)(0xffu >> (8 - bits));
}

uint64_t tg_bits_load(tg_dtype dtype, const void *element)
{
    uint8_t b;
    uint16_t h;
    uint32_t w;
    uint64_t d;
    switch (tg_dtypes[dtype].bytes) {
    case 1: memcpy(&b, element, 1); return b & code_mask(&tg_dtypes[dtype]);
    case 2: memcpy(&h, element, 2); return h;
    case 4: memcpy(&w, element, 4); return w;
    default: memcpy(&d, element, 8); return d;
    }
}

void tg_bits_store(tg_dtype dtype, uint64_t bits, void *element)
{
    const tg_dtype_info *info = &tg_dtypes[dtype];
    if (tg_is_signed(dtype) && info->bits < 8)
        bits = ((bits & code_mask(info)) ^ sign_bit(info)) - sign_bit(info);
    switch (tg_dtypes[dtype].bytes) {
    case 1: memcpy(element, &(uint8_t){(uint8_t)bits}, 1); break;
    case 2: memcpy(element, &(uint16_t){(uint16_t)bits}, 2); break;
    case 4: memcpy(element, &(uint32_t){(uint32_t)bits}, 4); break;
    default: memcpy(element, &bits, 8); break;
    }
}

/* The least magnitude that is not a finite number: inf in IEEE formats; in others NaN, or one past
 * the last code. */
static uint64_t first_special(const tg_dtype_info *info)
{
    switch (info->special) {
    case TG_SPECIAL_IEEE: return (((uint64_t)1 << info->exp_bits) - 1) << info->man_bits;
    case TG_SPECIAL_FN: return sign_bit(info) - 1;
    case TG_SPECIAL_FNUZ:
    case TG_SPECIAL_FINITE: return sign_bit(info);
    default: return 255;
    }
}

/* In a format without NaN, -0 stands for it. */
static uint64_t quiet_nan(const tg_dtype_info *info, bool negative)
{
    uint64_t sign = negative ? sign_bit(info) : 0;
    if (info->special == TG_SPECIAL_IEEE)
        return sign | first_special(info) | (uint64_t)1 << (info->man_bits - 1);
    return info->special == TG_SPECIAL_FN ? sign | first_special(info) : first_special(info);
}

bool tg_bits_is_nan(tg_dtype dtype, uint64_t bits)
{
    const tg_dtype_info *info = &tg_dtypes[dtype];
    uint64_t magnitude = bits & ~sign_bit(info);
    switch (info->special) {
    case TG_SPECIAL_NONE:
    case TG_SPECIAL_FINITE: return false;
    case TG_SPECIAL_IEEE: return magnitude > first_special(info);
    case TG_SPECIAL_FN: return magnitude == first_special(info);
    default: return bits == first_special(info);
    }
}

static double decode(const tg_dtype_info *info, uint64_t bits)
{
    uint64_t magnitude = bits & ~sign_bit(info);
    if (info->special == TG_SPECIAL_E8M0) return ldexp(1.0, (int)bits - info->bias);
    int exponent = (int)(magnitude >> info->man_bits);
    uint64_t mantissa = magnitude & (((uint64_t)1 << info->man_bits) - 1);
    double value = (double)INFINITY;
    if (exponent == 0)
        value = ldexp((double)mantissa, 1 - info->bias - info->man_bits);
    else if (magnitude < first_special(info))
        value = ldexp((double)(mantissa | (uint64_t)1 << info->man_bits),
                      exponent - info->bias - info->man_bits);
    return bits & sign_bit(info) ? -value : value;
}

double tg_bits_value(tg_dtype dtype, uint64_t bits)
{
    if (tg_bits_is_nan(dtype, bits)) return (double)NAN;
    if (dtype == TG_DT_f64) {
        double value;
        memcpy(&value, &bits, 8);
        return value;
    }
    return decode(&tg_dtypes[dtype], bits);
}

/* The pattern of the magnitude, without handling of overflow; `value` is positive and finite. */
static uint64_t round_magnitude(const tg_dtype_info *info, double value)
{
    int exponent;
    frexp(value, &exponent); /* value = 0.1xxx * 2^exponent */
    int64_t least = 1 - info->bias, top = exponent - 1 > least ? exponent - 1 : least;
    uint64_t steps = (uint64_t)rint(ldexp(value, (int)(info->man_bits - top)));
    /* The steps of a subnormal count from 0, those of the binade `top` from 2^man_bits; a carry
     * into the next binade gives the right pattern as well. */
    return steps + ((uint64_t)(top - least) << info->man_bits);
}

uint64_t tg_bits_round(tg_dtype dtype, double value)
{
    const tg_dtype_info *info = &tg_dtypes[dtype];
    bool negative = signbit(value) != 0;
    uint64_t sign = negative ? sign_bit(info) : 0, bits;
    if (dtype == TG_DT_f64) {
        memcpy(&bits, &value, 8);
        return bits;
    }
    if (isnan(value) || (info->special == TG_SPECIAL_E8M0 && !(value > 0)))
        return quiet_nan(info, negative);
    if (value == 0) return info->special == TG_SPECIAL_FNUZ ? 0 : sign;
    bits = isinf(value) ? first_special(info) : round_magnitude(info, fabs(value));
    if (bits == 0 && info->special == TG_SPECIAL_FNUZ) return 0;
    if (bits < first_special(info)) return sign | bits;
    if (info->special == TG_SPECIAL_FINITE) return sign | (first_special(info) - 1);
    return info->special == TG_SPECIAL_IEEE ? sign | first_special(info)
                                            : quiet_nan(info, negative);
}

static uint64_t narrow_nan(const tg_dtype_info *info, uint32_t carrier)
{
    bool negative = carrier >> 31;
    uint64_t payload =
        info->special == TG_SPECIAL_IEEE ? (carrier & 0x7fffffu) >> (23 - info->man_bits) : 0;
    if (payload == 0) return quiet_nan(info, negative);
    return (negative ? sign_bit(info) : 0) | first_special(info) | payload;
}

uint64_t tg_bits_from_carrier(tg_dtype dtype, const void *carrier)
{
    if (!tg_is_float(dtype) || dtype == TG_DT_f64) return tg_bits_load(dtype, carrier);
    float value;
    uint32_t bits;
    memcpy(&value, carrier, 4);
    memcpy(&bits, carrier, 4);
    if (isnan(value)) return narrow_nan(&tg_dtypes[dtype], bits);
    return tg_bits_round(dtype, (double)value);
}

/* The bits of a NaN in its f32 carrier. */
static uint32_t carried_nan(const tg_dtype_info *info, uint64_t bits)
{
    uint64_t payload = bits & (((uint64_t)1 << info->man_bits) - 1);
    uint32_t negative = (bits & sign_bit(info)) != 0;
    if (info->special == TG_SPECIAL_IEEE)
        return negative << 31 | 0x7f800000u | (uint32_t)payload << (23 - info->man_bits);
    return (info->special == TG_SPECIAL_FN ? negative << 31 : 0) | 0x7fc00000u;
}

void tg_bits_to_carrier(tg_dtype dtype, uint64_t bits, void *carrier)
{
    if (dtype == TG_DT_f64) {
        memcpy(carrier, &bits, 8);
    } else if (tg_bits_is_nan(dtype, bits)) {
        memcpy(carrier, &(uint32_t){carried_nan(&tg_dtypes[dtype], bits)}, 4);
    } else {
        memcpy(carrier, &(float){(float)tg_bits_value(dtype, bits)}, 4);
    }
}
