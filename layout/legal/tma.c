#include "layout/legal/tma.h"

#include <inttypes.h>

enum { MOST_RANK = 5, MOST_BOX = 256, MOST_STEP = 8, CHUNK_BITS = 128, CHUNK_BYTES = 16 };
enum { SHARED_UNIT = 128, SWIZZLE_ROWS = 8 };

const tg_demand tg_tma_rules[TG_TMA_RULE_COUNT] = {
#define TG_TMA_RULE(id, demands, source) [TG_TMA_##id] = {"tma_" #id, demands, source},
#include "layout/legal/tma.def"
};

void tg_tma_begin(const tg_shape *size, int bits, tg_tma *out)
{
    int64_t step = 1;
    *out = (tg_tma){.size = *size, .bits = bits};
    for (int i = size->rank - 1; i >= 0; i--) {
        out->stride[i] = step;
        out->box[i] = size->extent[i];
        out->element_stride[i] = 1;
        if (__builtin_mul_overflow(step, size->extent[i], &step)) step = INT64_MAX;
    }
}

static bool keeps_rank(const tg_tma *t, tg_text *found)
{
    tg_text_add(found, "the rank is %d", t->size.rank);
    return t->size.rank >= 1 && t->size.rank <= MOST_RANK;
}

static bool keeps_bits(const tg_tma *t, tg_text *found)
{
    tg_text_add(found, "an element has %d bits", t->bits);
    return t->bits == 4 || t->bits == 8 || t->bits == 16 || t->bits == 32 || t->bits == 64;
}

/* Numbers of 63 bits times bits of an element. */
static __int128 in_bits(const tg_tma *t, int64_t elements) { return (__int128)elements * t->bits; }

static bool keeps_minor(const tg_tma *t, tg_text *found)
{
    if (t->size.rank == 0) return true;
    tg_text_add(found, "the stride is %" PRId64, t->stride[t->size.rank - 1]);
    return t->stride[t->size.rank - 1] == 1;
}

static bool keeps_stride_unit(const tg_tma *t, tg_text *found)
{
    for (int i = 0; i < t->size.rank - 1; i++)
        if (in_bits(t, t->stride[i]) % CHUNK_BITS != 0) {
            tg_text_add(found, "the stride of dimension %d is %" PRId64 " elements of %d bits", i,
                        t->stride[i], t->bits);
            return false;
        }
    return true;
}

static bool keeps_stride_limit(const tg_tma *t, tg_text *found)
{
    for (int i = 0; i < t->size.rank - 1; i++)
        if (t->stride[i] < 0 || in_bits(t, t->stride[i]) >= (__int128)8 << 40) {
            tg_text_add(found, "the stride of dimension %d is %" PRId64 " elements of %d bits", i,
                        t->stride[i], t->bits);
            return false;
        }
    return true;
}

/* Whether all numbers are from 1 to `most`; tells the first that is not. */
static bool are_within(const int64_t *list, int count, int64_t most, tg_text *found)
{
    for (int i = 0; i < count; i++)
        if (list[i] < 1 || list[i] > most) {
            tg_text_add(found, "dimension %d has %" PRId64, i, list[i]);
            return false;
        }
    return true;
}

static bool keeps_size(const tg_tma *t, tg_text *found)
{
    return are_within(t->size.extent, t->size.rank, INT64_C(1) << 32, found);
}

static bool keeps_box(const tg_tma *t, tg_text *found)
{
    return are_within(t->box, t->size.rank, MOST_BOX, found);
}

static bool keeps_element_stride(const tg_tma *t, tg_text *found)
{
    return are_within(t->element_stride, t->size.rank, MOST_STEP, found);
}

static __int128 inner_bits(const tg_tma *t, tg_text *found)
{
    const int64_t inner = t->size.rank ? t->box[t->size.rank - 1] : 0;
    tg_text_add(found, "it has %" PRId64 " elements of %d bits", inner, t->bits);
    return in_bits(t, inner);
}

static bool keeps_box_unit(const tg_tma *t, tg_text *found)
{
    return inner_bits(t, found) % CHUNK_BITS == 0;
}

static bool keeps_swizzle(const tg_tma *t, tg_text *found)
{
    tg_text_add(found, "it is of %d bytes", t->swizzle);
    return t->swizzle == 0 || t->swizzle == 16 || t->swizzle == 32 || t->swizzle == 64 ||
           t->swizzle == 128;
}

static bool has_swizzle(const tg_tma *t) { return t->swizzle > CHUNK_BYTES; }

static bool keeps_swizzle_box(const tg_tma *t, tg_text *found)
{
    const __int128 inner = inner_bits(t, found);
    tg_text_add(found, ", the swizzle %d bytes", t->swizzle);
    return !has_swizzle(t) || inner <= t->swizzle * 8;
}

static bool keeps_swizzle_exact(const tg_tma *t, tg_text *found)
{
    const __int128 inner = inner_bits(t, found);
    tg_text_add(found, ", the swizzle %d bytes", t->swizzle);
    return !t->is_mosaic || !has_swizzle(t) || inner == t->swizzle * 8;
}

static bool keeps_address(const tg_tma *t, tg_text *found)
{
    tg_text_add(found, "it begins at %" PRId64, t->address);
    return t->address % CHUNK_BYTES == 0;
}

static bool keeps_shared_address(const tg_tma *t, tg_text *found)
{
    tg_text_add(found, "it begins at %" PRId64, t->shared_address);
    return t->shared_address % SHARED_UNIT == 0;
}

static bool keeps_swizzle_start(const tg_tma *t, tg_text *found)
{
    tg_text_add(found, "it begins at %" PRId64 ", the swizzle is of %d bytes", t->shared_address,
                t->swizzle);
    return !t->is_mosaic || !has_swizzle(t) || t->shared_address % (SWIZZLE_ROWS * t->swizzle) == 0;
}

static bool (*const keeps[])(const tg_tma *, tg_text *) = {
#define TG_TMA_RULE(id, demands, source) [TG_TMA_##id] = keeps_##id,
#include "layout/legal/tma.def"
};

tg_status tg_tma_check(const tg_tma *tma, bool all, tg_diags *diags)
{
    tg_status status = TG_OK;
    for (int i = 0; i < TG_TMA_RULE_COUNT; i++) {
        tg_text found = {0};
        if (keeps[i](tma, &found)) {
            tg_text_drop(&found);
            continue;
        }
        status = tg_demand_broken(&tg_tma_rules[i], &found, diags);
        if (!all) break;
    }
    return status;
}
