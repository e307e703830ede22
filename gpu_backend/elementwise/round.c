#include "gpu_backend/elementwise/round.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/elementwise/canonical.h"
#include "gpu_backend/elementwise/narrow.h"
#include "gpu_backend/text/template.h"
#include "ir/type.h"

/* The values of the attribute `rounding`. */
enum { ROUNDING_EVEN, ROUNDING_AWAY };

/* The truncated part is exact; if it is a half or more, the integer is one farther from zero. */
static const char away[] = "cvt.rzi.$t.$t $x0, $a;"
                           "sub.rn.$t $x1, $a, $x0;"
                           "and.$u $x2, $x1, $size;"
                           "setp.ge.$t $p0, $x2, $half;"
                           "and.$u $x3, $a, $sign;"
                           "or.$u $x4, $x3, $one;"
                           "add.rn.$t $x5, $x0, $x4;"
                           "selp.$t $r, $x5, $x0, $p0;";

tg_ptx_reg tg_ptx_round(const tg_ptx_lane_op *l)
{
    const char *const text = l->imm == ROUNDING_AWAY ? away : "cvt.rni.$t.$t $r, $a;";
    return tg_ptx_finish(l->w, l->dtype,
                         tg_ptx_expand(l->w, l->dtype, tg_ptx_class_of(l->dtype), text, 1, l->in));
}

/* -- reduce_precision -- */

/* The dtype's bits without the sign, rounded to nearest even after `kept` bits of mantissa; a carry
 * increments the exponent. */
static tg_ptx_reg round_code(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg code, int kept)
{
    const bool wide = tg_ptx_is_wide(dtype);
    const tg_ptx_class class = wide ? TG_PTX_B64 : TG_PTX_B32;
    const int size = wide ? 64 : 32, dropped = tg_dtypes[dtype].man_bits - kept;
    const unsigned long long half = 1ull << (dropped - 1);
    const tg_ptx_reg odd =
        tg_ptx_result(w, class, "bfe.u%d $, %s, %d, 1;", size, code.name, dropped);
    const tg_ptx_reg up =
        tg_ptx_result(w, class, "add.u%d $, %s, 0x%llx;", size, odd.name, half - 1);
    const tg_ptx_reg sum = tg_ptx_result(w, class, "add.u%d $, %s, %s;", size, code.name, up.name);
    const tg_ptx_reg units = tg_ptx_result(w, class, "shr.u%d $, %s, %d;", size, sum.name, dropped);
    return tg_ptx_result(w, class, "shl.b%d $, %s, %d;", size, units.name, dropped);
}

/* `size`, the operand's magnitude, with fewer bits of mantissa. */
static tg_ptx_reg fewer_mantissa_bits(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg size, int kept)
{
    const tg_ptx_reg code = tg_ptx_to_memory(w, dtype, size);
    tg_ptx_reg rounded = round_code(w, dtype, code, kept);
    if (!tg_ptx_is_narrow(dtype)) return tg_ptx_from_memory(w, dtype, rounded);
    const tg_float_special special = tg_dtypes[dtype].special;
    const uint32_t greatest = tg_ptx_greatest_narrow(dtype);
    if (special == TG_SPECIAL_FINITE || special == TG_SPECIAL_FN)
        rounded = tg_ptx_result(w, TG_PTX_B32, "min.u32 $, %s, %u;", rounded.name,
                                special == TG_SPECIAL_FN ? greatest + 1 : greatest);
    return tg_ptx_from_memory(w, dtype, rounded);
}

/* 2^exponent as an immediate of the carrier's type; `out` has 20 bytes. */
static const char *power_of_two(tg_dtype dtype, int exponent, char *out)
{
    if (tg_ptx_is_wide(dtype))
        snprintf(out, 20, "0d%016llX", (unsigned long long)(exponent + 1023) << 52);
    else
        snprintf(out, 20, "0f%08X", (unsigned)(exponent + 127) << 23);
    return out;
}

/* Values beyond the range of the reduced exponent become inf; values below its normal range become
 * 0. */
static tg_ptx_reg fewer_exponent_bits(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg size, int kept)
{
    static const char rows[] = "setp.ge.$t $p0, $a, $b;"
                               "selp.$t $x0, $inf, $a, $p0;"
                               "setp.lt.$t $p1, $a, $c;"
                               "selp.$t $r, $zero, $x0, $p1;";
    const int bias = (1 << (kept - 1)) - 1;
    const tg_ptx_class class = tg_ptx_class_of(dtype);
    const char *const type = tg_ptx_type(dtype);
    char above[20], least[20];
    const tg_ptx_reg in[3] = {
        size,
        tg_ptx_result(w, class, "mov.%s $, %s;", type, power_of_two(dtype, bias + 1, above)),
        tg_ptx_result(w, class, "mov.%s $, %s;", type, power_of_two(dtype, 1 - bias, least)),
    };
    return tg_ptx_expand(w, dtype, class, rows, 3, in);
}

tg_ptx_reg tg_ptx_reduce_precision(const tg_ptx_lane_op *l)
{
    static const char size_rows[] = "and.$u $r, $a, $size;";
    static const char sign_rows[] = "and.$u $x0, $a, $sign;"
                                    "or.$u $x1, $b, $x0;"
                                    "setp.nan.$t $p0, $a, $a;"
                                    "selp.$t $r, $a, $x1, $p0;";
    const tg_dtype_info *const info = &tg_dtypes[l->dtype];
    const int exponent_bits = (int)(l->imm >> 8), mantissa_bits = (int)(l->imm & 0xff);
    const tg_ptx_class class = tg_ptx_class_of(l->dtype);
    tg_ptx_reg size = tg_ptx_expand(l->w, l->dtype, class, size_rows, 1, l->in);
    if (mantissa_bits < info->man_bits)
        size = fewer_mantissa_bits(l->w, l->dtype, size, mantissa_bits);
    if (exponent_bits < info->exp_bits)
        size = fewer_exponent_bits(l->w, l->dtype, size, exponent_bits);
    const tg_ptx_reg in[2] = {l->in[0], size};
    return tg_ptx_finish(l->w, l->dtype, tg_ptx_expand(l->w, l->dtype, class, sign_rows, 2, in));
}
