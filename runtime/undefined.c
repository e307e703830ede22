#include "runtime/undefined.h"

#include <string.h>

/* Quiet NaNs that a dump shows at a glance. Narrow floats have no room for that: theirs in memory
 * is the plain quiet NaN, or the only one there is. */
#define UNDEFINED_F64 0x7ff8dead00000000u
#define UNDEFINED_F32 0x7fc0dead

/* Where there is no NaN the least value, as for ints: -6 of the only such format. */
#define UNDEFINED_FINITE 0xc0c00000

/* Bits of one undefined element of a narrow float in memory. */
static uint64_t undefined_narrow(const tg_dtype_info *info)
{
    const uint64_t all_ones = ((uint64_t)1 << (info->bits - 1)) - 1;
    switch (info->special) {
    case TG_SPECIAL_FN: return all_ones;
    case TG_SPECIAL_FNUZ: return all_ones + 1;
    case TG_SPECIAL_E8M0:
    case TG_SPECIAL_FINITE: return 2 * all_ones + 1;
    default: return all_ones - ((uint64_t)1 << (info->man_bits - 1)) + 1;
    }
}

static uint64_t undefined_bits(tg_dtype dtype, bool in_memory)
{
    const tg_dtype_info *const info = &tg_dtypes[dtype];
    if (tg_is_signed(dtype)) return 0 - ((uint64_t)1 << (info->bits - 1));
    if (!tg_is_float(dtype)) return 0;
    if (dtype == TG_DT_f64) return UNDEFINED_F64;
    if (info->special == TG_SPECIAL_FINITE && !in_memory) return UNDEFINED_FINITE;
    return dtype == TG_DT_f32 || !in_memory ? UNDEFINED_F32 : undefined_narrow(info);
}

/* The low `bytes` bytes of `bits`, `count` times. */
static void fill(void *dst, uint64_t bits, size_t bytes, size_t count)
{
    uint8_t *const u8 = dst;
    uint16_t *const u16 = dst;
    uint32_t *const u32 = dst;
    uint64_t *const u64 = dst;
    switch (bytes) {
    case 1: memset(u8, (int)(bits & 0xff), count); break;
    case 2:
        for (size_t i = 0; i < count; i++) u16[i] = (uint16_t)bits;
        break;
    case 4:
        for (size_t i = 0; i < count; i++) u32[i] = (uint32_t)bits;
        break;
    default:
        for (size_t i = 0; i < count; i++) u64[i] = bits;
        break;
    }
}

static uint64_t greatest_bits(tg_dtype dtype)
{
    const unsigned bits = (unsigned)tg_dtypes[dtype].bits - (tg_is_signed(dtype) ? 1u : 0u);
    return dtype == TG_DT_bool ? 1 : bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

void tg_fill_as(tg_fill how, void *dst, tg_dtype dtype, size_t count, bool in_memory)
{
    const size_t bytes =
        in_memory ? tg_dtypes[dtype].bytes : tg_carrier_bytes[tg_carrier_of(dtype)];
    if (how == TG_FILL_ZERO || tg_is_semaphore(dtype))
        memset(dst, 0, count * bytes);
    else if (tg_is_float(dtype))
        fill(dst, undefined_bits(dtype, in_memory), bytes, count);
    else
        fill(dst, greatest_bits(dtype), bytes, count);
}

void tg_fill_undefined_carrier(void *dst, tg_dtype dtype, size_t count)
{
    fill(dst, undefined_bits(dtype, false), tg_carrier_bytes[tg_carrier_of(dtype)], count);
}

void tg_fill_undefined_memory(void *dst, tg_dtype dtype, size_t count)
{
    fill(dst, undefined_bits(dtype, true), tg_dtypes[dtype].bytes, count);
}
