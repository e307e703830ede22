/* Long division of the mantissas as integers, several bits per turn. */
#include "gpu_backend/elementwise/rem.h"

#include "gpu_backend/elementwise/canonical.h"
#include "gpu_backend/text/template.h"
#include "ir/type.h"

/* clang-format off */

/* Mantissa and exponent of an f64 without its sign.  Subnormals have exponent 1 and no leading
 * bit. */
#define PARTS(size, mantissa, exponent, spare)                    \
    "shr.u64 field, " size ", 52;\n"                              \
    "cvt.u32.u64 " exponent ", field;\n"                          \
    "and.b64 " mantissa ", " size ", 0x000fffffffffffff;\n"       \
    "setp.ne.u32 p, " exponent ", 0;\n"                           \
    "@p or.b64 " mantissa ", " mantissa ", 0x0010000000000000;\n" \
    "max.u32 " exponent ", " exponent ", 1;\n"                    \
    "shr.u64 " mantissa ", " mantissa ", " spare ";\n"

/* Of f64.  With m the mantissa and 2^(e - 1075) the unit of each operand, the remainder is that of
 * ma * 2^(ea - eb) by mb, in units of b: where |a| is not below |b|, ea is not below eb.  The last
 * `spare` bits of both mantissas are known to be 0; each turn shifts by `chunk`, 11 + spare, for
 * which 64 bits have room.  The products at the end are exact. */
#define REM(spare, chunk)                  \
    "{\n"                                  \
    ".reg .pred p, q;\n"                   \
    ".reg .b64 x, y, ma, mb, field, value;\n" \
    ".reg .b32 ea, eb, n, k;\n"            \
    "mov.b64 value, $a;\n"                 \
    "and.b64 x, $a, $size;\n"              \
    "and.b64 y, $b, $size;\n"              \
    "setp.lt.f64 p, x, y;\n"               \
    "@p bra done;\n"                       \
    "mov.f64 value, $nan;\n"               \
    "setp.lt.f64 p, x, $inf;\n"            \
    "setp.gt.f64 q, y, $zero;\n"           \
    "and.pred p, p, q;\n"                  \
    "@!p bra done;\n"                      \
    PARTS("x", "ma", "ea", spare)          \
    PARTS("y", "mb", "eb", spare)          \
    "rem.u64 ma, ma, mb;\n"                \
    "sub.u32 n, ea, eb;\n"                 \
    "again:\n"                             \
    "setp.eq.u32 p, n, 0;\n"               \
    "@p bra divided;\n"                    \
    "min.u32 k, n, " chunk ";\n"           \
    "shl.b64 ma, ma, k;\n"                 \
    "rem.u64 ma, ma, mb;\n"                \
    "sub.u32 n, n, k;\n"                   \
    "bra again;\n"                         \
    "divided:\n"                           \
    "shl.b64 ma, ma, " spare ";\n"         \
    "cvt.rn.f64.u64 value, ma;\n"          \
    "mul.rn.f64 value, value, 0d3CB0000000000000;\n" /* 2^-52 */ \
    "cvt.u64.u32 field, eb;\n"             \
    "shl.b64 field, field, 52;\n"          \
    "mul.rn.f64 value, value, field;\n"    \
    "and.b64 field, $a, $sign;\n"          \
    "or.b64 value, value, field;\n"        \
    "done:\n"                              \
    "mov.b64 $r, value;\n"                 \
    "}\n"
/* clang-format on */

/* An f32 has 24 bits of mantissa, so as an f64 its last 29 are 0. */
static const char rem_f64[] = REM("0", "11"), rem_f32[] = REM("29", "40");

static tg_ptx_reg to_f64(tg_ptx_writer *w, tg_ptx_reg f32)
{
    return tg_ptx_result(w, TG_PTX_F64, "cvt.f64.f32 $, %s;", f32.name);
}

tg_ptx_reg tg_ptx_rem_float(const tg_ptx_lane_op *l)
{
    if (l->dtype == TG_DT_f64) return tg_ptx_expand(l->w, TG_DT_f64, TG_PTX_F64, rem_f64, 2, l->in);
    const tg_ptx_reg in[2] = {to_f64(l->w, l->in[0]), to_f64(l->w, l->in[1])};
    const tg_ptx_reg exact = tg_ptx_expand(l->w, TG_DT_f64, TG_PTX_F64, rem_f32, 2, in);
    return tg_ptx_finish(l->w, l->dtype,
                         tg_ptx_result(l->w, TG_PTX_F32, "cvt.rn.f32.f64 $, %s;", exact.name));
}
