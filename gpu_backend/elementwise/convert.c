#include "gpu_backend/elementwise/convert.h"

#include <stdbool.h>

#include "gpu_backend/elementwise/canonical.h"
#include "gpu_backend/elementwise/narrow.h"
#include "gpu_backend/text/template.h"

/* -- to integers -- */

/* Ints wrap: keeps the low bits, extended like the result's dtype. */
static tg_ptx_reg int_to_int(tg_ptx_writer *w, tg_dtype from, tg_dtype to, tg_ptx_reg in)
{
    const bool from_wide = tg_ptx_is_wide(from), to_wide = tg_ptx_is_wide(to);
    if (from_wide && to_wide) return in;
    if (to_wide)
        return tg_ptx_result(w, TG_PTX_B64, "cvt.%s.%s $, %s;", tg_is_signed(from) ? "s64" : "u64",
                             tg_ptx_type(from), in.name);
    if (from_wide) in = tg_ptx_result(w, TG_PTX_B32, "cvt.u32.u64 $, %s;", in.name);
    return tg_ptx_wrap(w, to, in);
}

/* cvt clamps to the range of its own type; narrower types need a further clamp. */
static tg_ptx_reg clamp_to(tg_ptx_writer *w, tg_dtype to, tg_ptx_reg value)
{
    const int bits = tg_dtypes[to].bits;
    if (bits >= 32) return value;
    if (!tg_is_signed(to))
        return tg_ptx_result(w, TG_PTX_B32, "min.u32 $, %s, %d;", value.name, (1 << bits) - 1);
    const int greatest = (1 << (bits - 1)) - 1;
    value = tg_ptx_result(w, TG_PTX_B32, "min.s32 $, %s, %d;", value.name, greatest);
    return tg_ptx_result(w, TG_PTX_B32, "max.s32 $, %s, %d;", value.name, -greatest - 1);
}

/* Truncates and saturates.  NaN becomes 0 by separate rows, since cvt gives the least i64. */
static tg_ptx_reg float_to_int(tg_ptx_writer *w, tg_dtype from, tg_dtype to, tg_ptx_reg in)
{
    const char *const type = tg_ptx_type(from);
    const tg_ptx_reg value = tg_ptx_result(w, tg_ptx_class_of(to), "cvt.rzi.%s.%s $, %s;",
                                           tg_ptx_type(to), type, in.name);
    const tg_ptx_reg is_nan =
        tg_ptx_result(w, TG_PTX_PRED, "setp.nan.%s $, %s, %s;", type, in.name, in.name);
    const tg_ptx_reg number = tg_ptx_result(w, tg_ptx_class_of(to), "selp.%s $, 0, %s, %s;",
                                            tg_ptx_untyped(to), value.name, is_nan.name);
    return clamp_to(w, to, number);
}

static tg_ptx_reg to_bool(tg_ptx_writer *w, tg_dtype from, tg_ptx_reg in)
{
    const char *const text = tg_is_float(from)
                                 ? "setp.neu.$t $p0, $a, $zero; selp.u32 $r, 1, 0, $p0;"
                                 : "setp.ne.$t $p0, $a, 0; selp.u32 $r, 1, 0, $p0;";
    return tg_ptx_expand(w, from, TG_PTX_B32, text, 1, &in);
}

/* -- to floats -- */

/* Converts to f32, rounded to odd: truncated, with the last bit set if the result is inexact.
 * Rounding that to a format with at least two bits fewer gives the same as rounding once. */
static tg_ptx_reg to_odd_f32(tg_ptx_writer *w, tg_dtype from, tg_ptx_reg in)
{
    const bool is_float = tg_is_float(from);
    const char *const type = tg_ptx_type(from);
    const tg_ptx_reg cut = tg_ptx_result(w, TG_PTX_F32, "cvt.rz.f32.%s $, %s;", type, in.name);
    const tg_ptx_reg back = tg_ptx_result(w, tg_ptx_class_of(from), "cvt%s.%s.f32 $, %s;",
                                          is_float ? "" : ".rzi", type, cut.name);
    const tg_ptx_reg lost = tg_ptx_result(w, TG_PTX_PRED, "setp.%s.%s $, %s, %s;",
                                          is_float ? "neu" : "ne", type, back.name, in.name);
    const tg_ptx_reg odd = tg_ptx_result(w, TG_PTX_F32, "or.b32 $, %s, 1;", cut.name);
    return tg_ptx_result(w, TG_PTX_F32, "selp.f32 $, %s, %s, %s;", odd.name, cut.name, lost.name);
}

static tg_ptx_reg to_narrow(tg_ptx_writer *w, tg_dtype from, tg_dtype to, tg_ptx_reg in)
{
    const bool is_f32 = tg_carrier_of(from) == TG_C_f32;
    const bool fits = !is_f32 && tg_dtypes[from].bits < 24; /* f32 represents the int exactly */
    if (!is_f32)
        in = fits ? tg_ptx_result(w, TG_PTX_F32, "cvt.rn.f32.%s $, %s;", tg_ptx_type(from), in.name)
                  : to_odd_f32(w, from, in);
    return tg_ptx_round_narrow(w, to, in);
}

static tg_ptx_reg to_float(tg_ptx_writer *w, tg_dtype from, tg_dtype to, tg_ptx_reg in)
{
    const tg_ptx_class class = tg_ptx_class_of(to);
    const char *const source = tg_ptx_type(from), *const target = tg_ptx_type(to);
    if (tg_ptx_is_narrow(to)) return to_narrow(w, from, to, in);
    if (tg_is_float(from) && class == tg_ptx_class_of(from)) return in;
    const bool is_exact = to == TG_DT_f64 && tg_is_float(from);
    return tg_ptx_result(w, class, "cvt%s.%s.%s $, %s;", is_exact ? "" : ".rn", target, source,
                         in.name);
}

tg_ptx_reg tg_ptx_convert(tg_ptx_writer *w, tg_dtype from, tg_dtype to, tg_ptx_reg in)
{
    if (from == to) return in;
    if (to == TG_DT_bool) return to_bool(w, from, in);
    if (tg_is_float(to)) return to_float(w, from, to, in);
    return tg_is_float(from) ? float_to_int(w, from, to, in) : int_to_int(w, from, to, in);
}
