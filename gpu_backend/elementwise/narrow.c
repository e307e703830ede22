/* One method serves all formats of ir/dtypes.def but three: f16 and bf16, for which sm_80 has
 * instructions, and f8e8m0fnu, which consists of an exponent only.  A code is a value's bits in the
 * format; its size is the code without the sign. */
#include "gpu_backend/elementwise/narrow.h"

#include "gpu_backend/text/template.h"

enum { F32_BIAS = 127, F32_MAN = 23, E8M0_NAN = 255 };

static uint32_t sign_of(tg_dtype dtype) { return 1u << (tg_dtypes[dtype].bits - 1); }

uint32_t tg_ptx_greatest_narrow(tg_dtype dtype)
{
    const tg_dtype_info *const info = &tg_dtypes[dtype];
    const uint32_t ones = sign_of(dtype) - 1;
    switch (info->special) {
    case TG_SPECIAL_IEEE: return ones - (1u << info->man_bits);
    case TG_SPECIAL_FN: return ones - 1;
    case TG_SPECIAL_E8M0: return E8M0_NAN - 1;
    default: return ones;
    }
}

/* Bits of the f32 2^exponent. */
static unsigned power_of_two(int exponent) { return (unsigned)(exponent + F32_BIAS) << F32_MAN; }

static tg_ptx_reg bits_of(tg_ptx_writer *w, tg_ptx_reg f32)
{
    return tg_ptx_result(w, TG_PTX_B32, "mov.b32 $, %s;", f32.name);
}

/* -- f16 and bf16 -- */

static tg_ptx_reg encode_half(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value)
{
    const tg_ptx_reg half = tg_ptx_result(w, TG_PTX_B16, "cvt.rn.%s.f32 $, %s;",
                                          dtype == TG_DT_f16 ? "f16" : "bf16", value.name);
    return tg_ptx_result(w, TG_PTX_B32, "cvt.u32.u16 $, %s;", half.name);
}

static tg_ptx_reg decode_half(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg bits)
{
    if (dtype == TG_DT_bf16) /* the upper half of an f32 */
        return tg_ptx_result(w, TG_PTX_F32, "shl.b32 $, %s, 16;", bits.name);
    const tg_ptx_reg half = tg_ptx_result(w, TG_PTX_B16, "cvt.u16.u32 $, %s;", bits.name);
    return tg_ptx_result(w, TG_PTX_F32, "cvt.f32.f16 $, %s;", half.name);
}

/* -- f8e8m0fnu -- */

/* The nearest power of two, ties upward: adds half an exponent and truncates.  The least, 2^-127,
 * is a subnormal f32, and the rounding interval of that value begins right above 0.  Zero, negative
 * values and too great values become NaN. */
static tg_ptx_reg encode_e8m0(tg_ptx_writer *w, tg_ptx_reg value)
{
    static const char rows[] = "shr.u32 $x0, $a, 22;"
                               "add.u32 $x1, $x0, 1;"
                               "shr.u32 $x2, $x1, 1;"
                               "min.u32 $x3, $x2, 255;"
                               "setp.lt.u32 $p0, $a, 0x00600000;" /* 1.5 * 2^-127 */
                               "selp.b32 $x4, 0, $x3, $p0;"
                               "setp.eq.u32 $p1, $a, 0;"
                               "selp.b32 $r, 255, $x4, $p1;";
    const tg_ptx_reg bits = bits_of(w, value);
    return tg_ptx_expand(w, TG_DT_u32, TG_PTX_B32, rows, 1, &bits);
}

static tg_ptx_reg decode_e8m0(tg_ptx_writer *w, tg_ptx_reg bits)
{
    static const char rows[] = "and.b32 $x0, $a, 255;"
                               "shl.b32 $x1, $x0, 23;"
                               "max.u32 $x2, $x1, 0x00400000;" /* 2^-127 */
                               "setp.eq.u32 $p0, $x0, 255;"
                               "selp.b32 $r, 0x7fc00000, $x2, $p0;";
    return tg_ptx_expand(w, TG_DT_u32, TG_PTX_F32, rows, 1, &bits);
}

/* -- the others: to bits -- */

/* The size of a normal number: the exponent with the format's bias, the mantissa rounded to nearest
 * even; a carry increments the exponent.  Valid from half a unit below the least normal number
 * on. */
static tg_ptx_reg normal_size(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg size)
{
    const tg_dtype_info *const info = &tg_dtypes[dtype];
    const int dropped = F32_MAN - info->man_bits;
    const unsigned rebias = (unsigned)(F32_BIAS - info->bias) << F32_MAN;
    const unsigned below_half = (1u << (dropped - 1)) - 1;
    const tg_ptx_reg odd =
        tg_ptx_result(w, TG_PTX_B32, "bfe.u32 $, %s, %d, 1;", size.name, dropped);
    const tg_ptx_reg up =
        tg_ptx_result(w, TG_PTX_B32, "add.u32 $, %s, 0x%x;", odd.name, below_half - rebias);
    const tg_ptx_reg sum = tg_ptx_result(w, TG_PTX_B32, "add.u32 $, %s, %s;", size.name, up.name);
    return tg_ptx_result(w, TG_PTX_B32, "shr.u32 $, %s, %d;", sum.name, dropped);
}

/* The size of a subnormal number: a multiple of the format's least positive value. */
static tg_ptx_reg subnormal_size(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg size)
{
    const tg_dtype_info *const info = &tg_dtypes[dtype];
    const tg_ptx_reg value = tg_ptx_result(w, TG_PTX_F32, "mov.b32 $, %s;", size.name);
    const tg_ptx_reg units = tg_ptx_result(w, TG_PTX_F32, "mul.rn.f32 $, %s, 0f%08X;", value.name,
                                           power_of_two(info->bias - 1 + info->man_bits));
    return tg_ptx_result(w, TG_PTX_B32, "cvt.rni.u32.f32 $, %s;", units.name);
}

/* Replaces a size beyond the greatest one: in IEEE formats by inf, in others by NaN, both of which
 * are the next code; in the finite format by the greatest. */
static tg_ptx_reg finite_or_next(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg size)
{
    const bool has_next = tg_dtypes[dtype].special != TG_SPECIAL_FINITE;
    return tg_ptx_result(w, TG_PTX_B32, "min.u32 $, %s, %u;", size.name,
                         tg_ptx_greatest_narrow(dtype) + has_next);
}

/* The sign at its position in the code; 0 if the format has no -0 and the size is 0. */
static tg_ptx_reg sign_code(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg bits, tg_ptx_reg size)
{
    const tg_ptx_reg down =
        tg_ptx_result(w, TG_PTX_B32, "shr.u32 $, %s, %d;", bits.name, 32 - tg_dtypes[dtype].bits);
    const tg_ptx_reg sign =
        tg_ptx_result(w, TG_PTX_B32, "and.b32 $, %s, 0x%x;", down.name, sign_of(dtype));
    if (tg_dtypes[dtype].special != TG_SPECIAL_FNUZ) return sign;
    const tg_ptx_reg zero = tg_ptx_result(w, TG_PTX_PRED, "setp.eq.u32 $, %s, 0;", size.name);
    return tg_ptx_result(w, TG_PTX_B32, "selp.b32 $, 0, %s, %s;", sign.name, zero.name);
}

/* Inserts NaN where finite_or_next does not: in IEEE formats, where inf is less than NaN; and in
 * the finite format, as -0. */
static tg_ptx_reg with_nan(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value, tg_ptx_reg code)
{
    const tg_float_special special = tg_dtypes[dtype].special;
    if (special != TG_SPECIAL_IEEE && special != TG_SPECIAL_FINITE) return code;
    const uint32_t quiet =
        tg_ptx_greatest_narrow(dtype) + 1 + (1u << (tg_dtypes[dtype].man_bits - 1));
    const tg_ptx_reg is_nan =
        tg_ptx_result(w, TG_PTX_PRED, "setp.nan.f32 $, %s, %s;", value.name, value.name);
    return tg_ptx_result(w, TG_PTX_B32, "selp.b32 $, 0x%x, %s, %s;",
                         special == TG_SPECIAL_IEEE ? quiet : sign_of(dtype), code.name,
                         is_nan.name);
}

tg_ptx_reg tg_ptx_encode_narrow(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value)
{
    if (dtype == TG_DT_f16 || dtype == TG_DT_bf16) return encode_half(w, dtype, value);
    if (tg_dtypes[dtype].special == TG_SPECIAL_E8M0) return encode_e8m0(w, value);
    const tg_ptx_reg bits = bits_of(w, value);
    const tg_ptx_reg size = tg_ptx_result(w, TG_PTX_B32, "and.b32 $, %s, 0x7fffffff;", bits.name);
    const tg_ptx_reg normal = normal_size(w, dtype, size);
    const tg_ptx_reg subnormal = subnormal_size(w, dtype, size);
    const tg_ptx_reg below = tg_ptx_result(w, TG_PTX_PRED, "setp.lt.u32 $, %s, 0x%x;", size.name,
                                           power_of_two(1 - tg_dtypes[dtype].bias));
    const tg_ptx_reg any = tg_ptx_result(w, TG_PTX_B32, "selp.b32 $, %s, %s, %s;", subnormal.name,
                                         normal.name, below.name);
    const tg_ptx_reg bounded = finite_or_next(w, dtype, any);
    const tg_ptx_reg sign = sign_code(w, dtype, bits, bounded);
    const tg_ptx_reg code =
        tg_ptx_result(w, TG_PTX_B32, "or.b32 $, %s, %s;", bounded.name, sign.name);
    return with_nan(w, dtype, value, code);
}

/* -- the others: from bits -- */

/* inf or NaN for a size; `value` is the f32 of that size, still without the format's bias. */
static tg_ptx_reg special_value(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg bits, tg_ptx_reg size,
                                tg_ptx_reg raised, tg_ptx_reg value)
{
    const tg_float_special special = tg_dtypes[dtype].special;
    if (special == TG_SPECIAL_FINITE) return value;
    if (special == TG_SPECIAL_FNUZ) { /* the code of -0 */
        const tg_ptx_reg code =
            tg_ptx_result(w, TG_PTX_B32, "and.b32 $, %s, 0x%x;", bits.name, 2 * sign_of(dtype) - 1);
        const tg_ptx_reg is_nan =
            tg_ptx_result(w, TG_PTX_PRED, "setp.eq.u32 $, %s, 0x%x;", code.name, sign_of(dtype));
        return tg_ptx_result(w, TG_PTX_B32, "selp.b32 $, 0x7fc00000, %s, %s;", value.name,
                             is_nan.name);
    }
    const tg_ptx_reg beyond = tg_ptx_result(w, TG_PTX_PRED, "setp.gt.u32 $, %s, %u;", size.name,
                                            tg_ptx_greatest_narrow(dtype));
    const tg_ptx_reg top = tg_ptx_result(w, TG_PTX_B32, "or.b32 $, %s, 0x7f800000;", raised.name);
    return tg_ptx_result(w, TG_PTX_B32, "selp.b32 $, %s, %s, %s;", top.name, value.name,
                         beyond.name);
}

/* With its mantissa moved to that of an f32, a size reads as the value times 2^(bias - 127), also
 * for subnormals. */
tg_ptx_reg tg_ptx_decode_narrow(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg bits)
{
    const tg_dtype_info *const info = &tg_dtypes[dtype];
    if (dtype == TG_DT_f16 || dtype == TG_DT_bf16) return decode_half(w, dtype, bits);
    if (info->special == TG_SPECIAL_E8M0) return decode_e8m0(w, bits);
    const tg_ptx_reg size =
        tg_ptx_result(w, TG_PTX_B32, "and.b32 $, %s, 0x%x;", bits.name, sign_of(dtype) - 1);
    const tg_ptx_reg raised =
        tg_ptx_result(w, TG_PTX_F32, "shl.b32 $, %s, %d;", size.name, F32_MAN - info->man_bits);
    const tg_ptx_reg finite = tg_ptx_result(w, TG_PTX_F32, "mul.rn.f32 $, %s, 0f%08X;", raised.name,
                                            power_of_two(F32_BIAS - info->bias));
    const tg_ptx_reg value = special_value(w, dtype, bits, size, raised, finite);
    const tg_ptx_reg up =
        tg_ptx_result(w, TG_PTX_B32, "shl.b32 $, %s, %d;", bits.name, 32 - info->bits);
    const tg_ptx_reg sign = tg_ptx_result(w, TG_PTX_B32, "and.b32 $, %s, 0x80000000;", up.name);
    return tg_ptx_result(w, TG_PTX_F32, "or.b32 $, %s, %s;", value.name, sign.name);
}

tg_ptx_reg tg_ptx_round_narrow(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value)
{
    return tg_ptx_decode_narrow(w, dtype, tg_ptx_encode_narrow(w, dtype, value));
}
