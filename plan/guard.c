#include "plan/guard.h"

uint64_t tg_guard_element(const void *data, tg_dtype dtype, int64_t at)
{
    switch (tg_carrier_of(dtype)) {
    case TG_C_i8: return (uint64_t)((const int8_t *)data)[at];
    case TG_C_u8: return ((const uint8_t *)data)[at];
    case TG_C_i16: return (uint64_t)((const int16_t *)data)[at];
    case TG_C_u16: return ((const uint16_t *)data)[at];
    case TG_C_i32: return (uint64_t)((const int32_t *)data)[at];
    case TG_C_u32: return ((const uint32_t *)data)[at];
    default: return ((const uint64_t *)data)[at];
    }
}

static bool is_forbidden(const struct tg_inst_guard *guard, uint64_t element)
{
    switch (guard->kind) {
    case TG_GUARD_NOT_ZERO: return element == 0;
    case TG_GUARD_BELOW: return element >= (uint64_t)guard->limit;
    case TG_GUARD_MULTIPLE: break;
    }
    return tg_is_signed(guard->in.dtype) ? (int64_t)element % guard->limit != 0
                                         : element % (uint64_t)guard->limit != 0;
}

enum { STRIP = 64 };

/* Looks at a strip of adjacent elements without a jump, so that compilers use vectors.  A limit fits
 * in every dtype, as it is a width. */
#define ALLOWS_STRIP(bits)                                                                         \
    static bool allows_strip_##bits(const struct tg_inst_guard *guard, const uint##bits##_t *data) \
    {                                                                                              \
        const uint##bits##_t limit = (uint##bits##_t)guard->limit;                                 \
        uint##bits##_t bad = 0;                                                                    \
        if (guard->kind == TG_GUARD_NOT_ZERO)                                                      \
            for (int i = 0; i < STRIP; i++) bad |= (uint##bits##_t)(data[i] == 0);                 \
        else                                                                                       \
            for (int i = 0; i < STRIP; i++) bad |= (uint##bits##_t)(data[i] >= limit);             \
        return !bad;                                                                               \
    }
ALLOWS_STRIP(8)
ALLOWS_STRIP(16)
ALLOWS_STRIP(32)
ALLOWS_STRIP(64)

static bool allows_strip(const struct tg_inst_guard *guard, const void *data, int64_t at)
{
    switch (tg_carrier_bytes[tg_carrier_of(guard->in.dtype)]) {
    case 1: return allows_strip_8(guard, (const uint8_t *)data + at);
    case 2: return allows_strip_16(guard, (const uint16_t *)data + at);
    case 4: return allows_strip_32(guard, (const uint32_t *)data + at);
    default: return allows_strip_64(guard, (const uint64_t *)data + at);
    }
}

int64_t tg_guard_find(const struct tg_inst_guard *guard, const void *data, int64_t stride,
                      int64_t count)
{
    int64_t i = 0;
    if (stride == 1 && guard->kind != TG_GUARD_MULTIPLE)
        while (i + STRIP <= count && allows_strip(guard, data, i)) i += STRIP;
    while (i < count && !is_forbidden(guard, tg_guard_element(data, guard->in.dtype, i * stride)))
        i++;
    return i;
}
