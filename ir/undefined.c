#include "ir/undefined.h"

#include <string.h>

/* Quiet NaNs that are easy to recognise in a dump.  Narrow floats have no bits for that: in memory
 * they get the plain quiet NaN, or the only NaN of the format. */
#define UNDEFINED_F64 0x7ff8dead00000000u
#define UNDEFINED_F32 0x7fc0dead

/* The least value, as for ints, of the only format without NaN: -6. */
#define UNDEFINED_FINITE 0xc0c00000

/* The bits of an undefined element of a narrow float in memory. */
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

/* Stores the low `bytes` bytes of `bits` `count` times, in loops that compilers vectorise. */
static void fill(void *dst, uint64_t bits, size_t bytes, size_t count)
{
    enum { WORDS = 8 };
    static const uint64_t once[] = {
        [1] = 0x0101010101010101, [2] = 0x0001000100010001, [4] = 0x0000000100000001, [8] = 1};
    const uint64_t mask = ~(uint64_t)0 >> (64 - 8 * bytes);
    uint64_t block[WORDS];
    unsigned char *to = dst;
    size_t left = bytes * count;
    for (int i = 0; i < WORDS; i++) block[i] = (bits & mask) * once[bytes];
    for (; left >= sizeof block; left -= sizeof block, to += sizeof block)
        memcpy(to, block, sizeof block);
    if (left) memcpy(to, block, left);
}

static uint64_t greatest_bits(tg_dtype dtype)
{
    const unsigned bits = (unsigned)tg_dtypes[dtype].bits - (tg_is_signed(dtype) ? 1u : 0u);
    return dtype == TG_DT_bool ? 1 : bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

void tg_fill_as(tg_undefined_fill how, void *dst, tg_dtype dtype, size_t count, bool in_memory)
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
