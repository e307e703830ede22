#include "emulator/convert.h"

static uint64_t low(uint64_t bits, unsigned width)
{
    return width == 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}

static uint64_t extend(uint64_t bits, unsigned width, bool is_signed)
{
    bits = low(bits, width);
    return is_signed && width < 64 && bits >> (width - 1) ? bits | UINT64_MAX << width : bits;
}

/* The integer of the type that is nearest to sign * magnitude. */
static uint64_t clamp(bool sign, unsigned __int128 magnitude, unsigned width, bool is_signed)
{
    uint64_t most = is_signed ? (UINT64_C(1) << (width - 1)) - 1 : low(UINT64_MAX, width);
    uint64_t least = is_signed ? UINT64_C(1) << (width - 1) : 0; /* of the least value */
    if (sign) return UINT64_C(0) - (magnitude > least ? least : (uint64_t)magnitude);
    return magnitude > most ? most : (uint64_t)magnitude;
}

static uint64_t to_int(const tg_emu_conversion *c, const tg_emu_soft *value)
{
    const tg_emu_type_info *to = &tg_emu_types[c->to];
    unsigned width = 8 * to->bytes;
    bool is_signed = to->kind == 's';
    unsigned __int128 huge = (unsigned __int128)1 << 100;
    tg_emu_soft v = tg_emu_soft_integral(value, c->rounding);
    if (v.class == TG_EMU_NAN) {
        /* NaN gives zero, unless 64 bits or f64 are involved, as documented. */
        uint64_t top = UINT64_C(1) << (width - 1);
        return c->from == TG_EMU_F64 || width == 64 ? extend(top, width, is_signed) : 0;
    }
    if (v.class == TG_EMU_ZERO) return 0;
    if (v.class == TG_EMU_INF || v.exponent > 64) return clamp(v.sign, huge, width, is_signed);
    return clamp(v.sign, v.significand << v.exponent, width, is_signed);
}

/* .sat on floats: to [+0, 1], and NaN to +0. */
static tg_emu_soft to_unit(tg_emu_soft v)
{
    bool is_above = v.class == TG_EMU_INF;
    if (v.class == TG_EMU_NAN || v.sign) return (tg_emu_soft){0};
    if (v.class == TG_EMU_FINITE) {
        int top = 127;
        while (!(v.significand >> top & 1)) top--;
        is_above = v.exponent + top >= 0;
    }
    return is_above ? tg_emu_soft_of_int(false, 1) : v;
}

static uint64_t to_float(const tg_emu_conversion *c, tg_emu_soft v)
{
    if (c->is_integral) v = tg_emu_soft_integral(&v, c->rounding);
    if (c->is_saturated) v = to_unit(v);
    return tg_emu_pack(c->to_format, &v, c->rounding, c->is_finite);
}

uint64_t tg_emu_convert(const tg_emu_conversion *c, uint64_t bits)
{
    const tg_emu_type_info *to = &tg_emu_types[c->to], *from = &tg_emu_types[c->from];
    bool is_signed = from->kind == 's';
    if (c->from_format) {
        tg_emu_soft value = tg_emu_unpack(c->from_format, bits);
        return c->to_format ? to_float(c, value) : to_int(c, &value);
    }
    bits = extend(bits, 8 * from->bytes, is_signed);
    bool sign = is_signed && bits >> 63;
    uint64_t magnitude = sign ? UINT64_C(0) - bits : bits;
    if (c->to_format) return to_float(c, tg_emu_soft_of_int(sign, magnitude));
    if (c->is_saturated) return clamp(sign, magnitude, 8 * to->bytes, to->kind == 's');
    return extend(bits, 8 * to->bytes, to->kind == 's');
}
