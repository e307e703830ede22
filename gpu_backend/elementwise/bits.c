#include "gpu_backend/elementwise/bits.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "gpu_backend/elementwise/canonical.h"
#include "gpu_backend/elementwise/narrow.h"
#include "gpu_backend/text/template.h"
#include "ir/undefined.h"

static tg_ptx_reg of_number(tg_ptx_writer *w, tg_dtype dtype, uint64_t bits)
{
    const unsigned long long wide = bits;
    const unsigned narrow = (unsigned)bits;
    switch (tg_ptx_class_of(dtype)) {
    case TG_PTX_F32: return tg_ptx_result(w, TG_PTX_F32, "mov.f32 $, 0f%08X;", narrow);
    case TG_PTX_F64: return tg_ptx_result(w, TG_PTX_F64, "mov.f64 $, 0d%016llX;", wide);
    case TG_PTX_B64: return tg_ptx_result(w, TG_PTX_B64, "mov.b64 $, 0x%llx;", wide);
    default: return tg_ptx_result(w, TG_PTX_B32, "mov.b32 $, 0x%x;", narrow);
    }
}

/* A carrier's bytes as a number, extended by sign or zeros. */
static uint64_t number_of(tg_dtype dtype, const void *carrier)
{
    const size_t bytes = tg_carrier_bytes[tg_carrier_of(dtype)];
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t bits;
    switch (bytes) {
    case 1: memcpy(&u8, carrier, bytes), bits = u8; break;
    case 2: memcpy(&u16, carrier, bytes), bits = u16; break;
    case 4: memcpy(&u32, carrier, bytes), bits = u32; break;
    default: memcpy(&bits, carrier, bytes); break;
    }
    const uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
    return tg_is_signed(dtype) ? (bits ^ sign) - sign : bits;
}

tg_ptx_reg tg_ptx_constant(tg_ptx_writer *w, tg_dtype dtype, const void *carrier)
{
    return of_number(w, dtype, number_of(dtype, carrier));
}

tg_ptx_reg tg_ptx_undefined(tg_ptx_writer *w, tg_dtype dtype)
{
    return tg_ptx_undefined_as(w, dtype, dtype);
}

tg_ptx_reg tg_ptx_undefined_as(tg_ptx_writer *w, tg_dtype dtype, tg_dtype seen_as)
{
    uint64_t carrier = 0;
    tg_fill_undefined_carrier(&carrier, dtype, 1);
    return tg_ptx_constant(w, seen_as, &carrier);
}

tg_ptx_reg tg_ptx_bits(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg carrier)
{
    if (!tg_is_float(dtype)) return carrier;
    const bool wide = tg_ptx_is_wide(dtype);
    return tg_ptx_result(w, wide ? TG_PTX_B64 : TG_PTX_B32, "mov.%s $, %s;", tg_ptx_untyped(dtype),
                         carrier.name);
}

tg_ptx_reg tg_ptx_of_bits(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg bits)
{
    if (!tg_is_float(dtype)) return bits;
    return tg_ptx_result(w, tg_ptx_class_of(dtype), "mov.%s $, %s;", tg_ptx_untyped(dtype),
                         bits.name);
}

/* Keeps the sign of a NaN, and its payload as far as it fits; cvt would replace it with another
 * NaN. */
static tg_ptx_reg f16_from_memory(tg_ptx_writer *w, tg_ptx_reg bits)
{
    static const char rows[] = "and.b32 $x0, $a, 0x8000;"
                               "shl.b32 $x1, $x0, 16;"
                               "and.b32 $x2, $a, 0x7fff;"
                               "shl.b32 $x3, $x2, 13;"
                               "or.b32 $x4, $x1, $x3;"
                               "or.b32 $x5, $x4, 0x7f800000;"
                               "setp.gt.u32 $p0, $x2, 0x7c00;"
                               "selp.b32 $r, $x5, $b, $p0;";
    const tg_ptx_reg in[2] = {bits, tg_ptx_decode_narrow(w, TG_DT_f16, bits)};
    return tg_ptx_expand(w, TG_DT_u32, TG_PTX_F32, rows, 2, in);
}

static tg_ptx_reg f16_to_memory(tg_ptx_writer *w, tg_ptx_reg carrier)
{
    static const char rows[] = "shr.u32 $x0, $a, 16;"
                               "and.b32 $x1, $x0, 0x8000;"
                               "bfe.u32 $x2, $a, 13, 10;"
                               "or.b32 $x3, $x1, $x2;"
                               "or.b32 $x4, $x3, 0x7c00;"
                               "and.b32 $x5, $a, 0x7fffffff;"
                               "setp.gt.u32 $p0, $x5, 0x7f800000;"
                               "selp.b32 $r, $x4, $b, $p0;";
    const tg_ptx_reg in[2] = {tg_ptx_bits(w, TG_DT_f16, carrier),
                              tg_ptx_encode_narrow(w, TG_DT_f16, carrier)};
    return tg_ptx_expand(w, TG_DT_u32, TG_PTX_B32, rows, 2, in);
}

tg_ptx_reg tg_ptx_from_memory(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg bits)
{
    if (dtype == TG_DT_f16) return f16_from_memory(w, bits);
    if (tg_ptx_is_narrow(dtype)) return tg_ptx_decode_narrow(w, dtype, bits);
    if (tg_is_int(dtype) && !tg_ptx_is_wide(dtype)) return tg_ptx_wrap(w, dtype, bits);
    return tg_ptx_of_bits(w, dtype, bits);
}

tg_ptx_reg tg_ptx_to_memory(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg carrier)
{
    if (dtype == TG_DT_f16) return f16_to_memory(w, carrier);
    if (dtype == TG_DT_bf16) /* the upper half of its f32 carrier */
        return tg_ptx_result(w, TG_PTX_B32, "shr.u32 $, %s, 16;",
                             tg_ptx_bits(w, dtype, carrier).name);
    if (tg_ptx_is_narrow(dtype)) return tg_ptx_encode_narrow(w, dtype, carrier);
    return tg_ptx_bits(w, dtype, carrier);
}
