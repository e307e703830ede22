/* What the tests of interp/blocks share: random data, shapes and views, and comparison by value. */
#ifndef TG_TESTS_TEST_BLOCKS_H
#define TG_TESTS_TEST_BLOCKS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interp/blocks/blocks.h"

#define UNUSED_OK __attribute__((unused))

static const char *const isa_names[] = {"baseline", "avx2", "avx512"};
enum { ISA_COUNT = 3, GUARD = 64 };

static uint64_t random_state = 1;

UNUSED_OK static uint64_t random_bits(void)
{
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t x = random_state;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* 0 <= r < n */
UNUSED_OK static int64_t random_below(int64_t n) { return (int64_t)(random_bits() % (uint64_t)n); }

UNUSED_OK static size_t element_bytes(tg_dtype dtype)
{
    return tg_carrier_bytes[tg_carrier_of(dtype)];
}

/* A value that every float dtype holds: zeros of both signs often, rarely NaN and infinities. */
UNUSED_OK static double random_real(tg_dtype dtype)
{
    const int64_t kind = random_below(200);
    if (kind == 0) return (double)NAN;
    if (kind == 1) return (double)INFINITY;
    if (kind < 20) return random_bits() & 1 ? 0.0 : -0.0;
    const int bits = tg_dtypes[dtype].man_bits + 1 < 12 ? tg_dtypes[dtype].man_bits + 1 : 24;
    const double mantissa = (double)(random_below((int64_t)1 << bits) - ((int64_t)1 << (bits - 1)));
    return ldexp(mantissa, (int)random_below(6) - bits);
}

UNUSED_OK static void random_elements(void *out, tg_dtype dtype, int64_t count)
{
    const tg_dtype_info *info = &tg_dtypes[dtype];
    for (int64_t i = 0; i < count; i++) {
        const double real = random_real(dtype);
        const uint64_t bits = random_bits();
        switch (info->carrier) {
        case TG_C_f32: ((float *)out)[i] = (float)real; break;
        case TG_C_f64: ((double *)out)[i] = real; break;
        case TG_C_i64:
        case TG_C_u64: ((uint64_t *)out)[i] = bits; break;
        case TG_C_i32:
        case TG_C_u32: ((uint32_t *)out)[i] = (uint32_t)bits; break;
        case TG_C_i16:
        case TG_C_u16: ((uint16_t *)out)[i] = (uint16_t)bits; break;
        case TG_C_b8: ((uint8_t *)out)[i] = bits & 1; break;
        default: ((uint8_t *)out)[i] = (uint8_t)bits; break;
        }
        if (tg_is_int(dtype) && info->bits < 8) {
            const unsigned sign = 1u << (info->bits - 1), low = (unsigned)bits & (2 * sign - 1);
            ((uint8_t *)out)[i] = (uint8_t)(tg_is_signed(dtype) ? (low ^ sign) - sign : low);
        }
    }
}

/* Whether two elements are equal: any NaN equals any other, all else goes by bits. */
UNUSED_OK static bool same_element(tg_carrier carrier, const void *a, const void *b)
{
    if (carrier == TG_C_f32 && isnan(*(const float *)a)) return isnan(*(const float *)b);
    if (carrier == TG_C_f64 && isnan(*(const double *)a)) return isnan(*(const double *)b);
    return memcmp(a, b, tg_carrier_bytes[carrier]) == 0;
}

/* Position of the first difference, or -1. */
UNUSED_OK static int64_t first_difference(tg_dtype dtype, const void *a, const void *b,
                                          int64_t count)
{
    const size_t bytes = element_bytes(dtype);
    for (int64_t i = 0; i < count; i++)
        if (!same_element(tg_carrier_of(dtype), (const char *)a + (size_t)i * bytes,
                          (const char *)b + (size_t)i * bytes))
            return i;
    return -1;
}

/* A view of `shape` into fresh memory of exactly the elements it reaches, its dimensions laid out in random
 * order, some reversed, repeated or with gaps.  *memory is to be freed. */
UNUSED_OK static tg_view random_view(tg_dtype dtype, int rank, const int64_t *shape, void **memory)
{
    tg_view view = {.rank = rank};
    int order[TG_MAX_RANK];
    for (int d = 0; d < rank; d++) order[d] = d;
    if (random_bits() % 2)
        for (int d = rank - 1; d > 0; d--) {
            const int other = (int)random_below(d + 1), kept = order[d];
            order[d] = order[other];
            order[other] = kept;
        }
    const bool plain = random_bits() % 2;
    int64_t step = 1, first = 0;
    for (int i = rank - 1; i >= 0; i--) {
        const int d = order[i];
        view.shape[d] = shape[d];
        view.stride[d] = step;
        const int64_t kind = plain ? 9 : random_below(10);
        if (kind == 0) view.stride[d] = 0;
        if (kind == 1) {
            view.stride[d] = -step;
            if (shape[d] > 0) first += step * (shape[d] - 1);
        }
        if (kind == 2) view.stride[d] = 2 * step;
        if (kind != 0) step *= (kind == 2 ? 2 : 1) * (shape[d] > 0 ? shape[d] : 1);
    }
    *memory = malloc((size_t)step * element_bytes(dtype));
    random_elements(*memory, dtype, step);
    view.data = (char *)*memory + (size_t)first * element_bytes(dtype);
    return view;
}

/* The element at row-major position `index`. */
UNUSED_OK static const void *view_at(const tg_view *view, int64_t index, size_t bytes)
{
    int64_t offset = 0;
    for (int d = view->rank - 1; d >= 0; d--) {
        offset += index % view->shape[d] * view->stride[d];
        index /= view->shape[d];
    }
    return (const char *)view->data + offset * (int64_t)bytes;
}

UNUSED_OK static int64_t view_count(const tg_view *view)
{
    int64_t count = 1;
    for (int d = 0; d < view->rank; d++) count *= view->shape[d];
    return count;
}

/* `bytes` bytes between guards; guards_intact says whether those still hold what they were filled with. */
UNUSED_OK static char *guarded(size_t bytes)
{
    char *memory = malloc(bytes + 2 * GUARD);
    memset(memory, 0x5a, bytes + 2 * GUARD);
    return memory + GUARD;
}

UNUSED_OK static bool guards_intact(const char *block, size_t bytes)
{
    for (size_t i = 0; i < GUARD; i++)
        if (block[-1 - (ptrdiff_t)i] != 0x5a || block[bytes + i] != 0x5a) return false;
    return true;
}

UNUSED_OK static void guarded_free(char *block) { free(block - GUARD); }

#endif
