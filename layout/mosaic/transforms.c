#include "layout/mosaic/transforms.h"

#include <inttypes.h>
#include <string.h>

#include "layout/canonical.h"

enum { CHUNK_BITS = 128, CHUNK_BYTES = 16, MOST_BYTES = 128, ROW_SHIFT = 3 };

/* A dimension in memory: which of the array's it is of, and what a step on it is there. */
typedef struct strip {
    int64_t extent, step;
    int dim;
} strip;

typedef struct strips {
    int rank;
    strip list[2 * TG_SHAPE_MAX_RANK];
    int swizzle; /* bytes; 0: there is none */
} strips;

static tg_status apply_tile(const tg_shape *tile, strips *s, tg_diags *diags)
{
    const int first = s->rank - tile->rank;
    if (tile->rank == 0) return tg_fail(diags, TG_ERR_INVALID, NULL, "a tile has no dimension");
    if (first < 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "a tile of rank %d, of an array of rank %d",
                       tile->rank, s->rank);
    if (s->rank + tile->rank > TG_SHAPE_MAX_RANK)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "the tiled array has rank %d; at most %d is supported", s->rank + tile->rank,
                       TG_SHAPE_MAX_RANK);
    for (int i = 0; i < tile->rank; i++) {
        strip *outer = &s->list[first + i];
        const int64_t t = tile->extent[i];
        if (t < 1 || outer->extent % t != 0)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "a tile of %" PRId64 " does not divide dimension %d, which has %" PRId64,
                           t, first + i, outer->extent);
        s->list[s->rank + i] = (strip){t, outer->step, outer->dim};
        *outer = (strip){outer->extent / t, outer->step * t, outer->dim};
    }
    s->rank += tile->rank;
    return TG_OK;
}

static tg_status check_permutation(const tg_shape *permutation, int rank, tg_diags *diags)
{
    bool seen[TG_SHAPE_MAX_RANK] = {false};
    if (permutation->rank != rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a permutation of %d dimensions, of an array of rank %d", permutation->rank,
                       rank);
    for (int i = 0; i < rank; i++) {
        const int64_t p = permutation->extent[i];
        if (p < 0 || p >= rank || seen[p])
            return tg_fail(
                diags, TG_ERR_INVALID, NULL,
                "%" PRId64 " in a permutation of %d dimensions is none of them, or twice", p, rank);
        seen[p] = true;
    }
    return TG_OK;
}

static tg_status apply_transpose(const tg_shape *permutation, strips *s, tg_diags *diags)
{
    const strips before = *s;
    TG_TRY(check_permutation(permutation, s->rank, diags));
    for (int i = 0; i < s->rank; i++) s->list[i] = before.list[permutation->extent[i]];
    if (s->swizzle && permutation->extent[s->rank - 1] != s->rank - 1)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a transpose moves the last dimension, which is swizzled");
    return TG_OK;
}

static tg_status apply_swizzle(int bytes, int bits, strips *s, tg_diags *diags)
{
    const int64_t wanted = (int64_t)bytes * 8 / bits;
    if (bytes != 16 && bytes != 32 && bytes != 64 && bytes != 128)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a swizzle is of 16, 32, 64 or 128 bytes, not of %d", bytes);
    if (s->swizzle) return tg_fail(diags, TG_ERR_INVALID, NULL, "there are two swizzles");
    if (bytes == CHUNK_BYTES) return TG_OK;
    if (s->rank == 0 || s->list[s->rank - 1].extent != wanted)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a swizzle of %d bytes needs a last dimension of %" PRId64
                       " elements of %d bits; it has %" PRId64,
                       bytes, wanted, bits, s->rank ? s->list[s->rank - 1].extent : 1);
    s->swizzle = bytes;
    return TG_OK;
}

static tg_status apply(const tg_transforms *transforms, const tg_shape *shape, int bits,
                       strips *out, tg_diags *diags)
{
    int64_t size;
    *out = (strips){.rank = shape->rank};
    TG_TRY(tg_shape_size(shape, &size, diags));
    if (bits < 1 || bits > CHUNK_BITS || CHUNK_BITS % bits != 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "an element has %d bits; it has a power of 2, up to %d", bits, CHUNK_BITS);
    for (int i = 0; i < shape->rank; i++) out->list[i] = (strip){shape->extent[i], 1, i};
    for (int k = 0; k < transforms->count; k++) {
        const tg_transform *t = &transforms->list[k];
        if (t->kind == TG_TRANSFORM_TILE && out->swizzle)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "a tile cuts the last dimension, which is swizzled");
        if (t->kind == TG_TRANSFORM_TILE) TG_TRY(apply_tile(&t->list, out, diags));
        if (t->kind == TG_TRANSFORM_TRANSPOSE) TG_TRY(apply_transpose(&t->list, out, diags));
        if (t->kind == TG_TRANSFORM_SWIZZLE) TG_TRY(apply_swizzle(t->bytes, bits, out, diags));
    }
    return TG_OK;
}

tg_status tg_transforms_shape(const tg_transforms *transforms, const tg_shape *shape, int bits,
                              tg_shape *out, tg_diags *diags)
{
    strips s;
    TG_TRY(apply(transforms, shape, bits, &s, diags));
    out->rank = s.rank;
    for (int i = 0; i < s.rank; i++) out->extent[i] = s.list[i].extent;
    return TG_OK;
}

static int log2_of(int64_t power)
{
    int log = 0;
    while (power > 1) {
        power /= 2;
        log++;
    }
    return log;
}

/* The swizzle in elements: chunks of 16 bytes are exchanged, by the row of 128 bytes. */
static tg_swizzle swizzle_of(int bytes, int bits)
{
    return (tg_swizzle){log2_of(bytes / CHUNK_BYTES), log2_of(CHUNK_BITS / bits), ROW_SHIFT,
                        TG_AXIS_m};
}

/* The digits of a dimension of the array, major first: by their steps there. */
static void put_dimension(const strips *s, const int64_t *strides, int dim, tg_iters *d)
{
    int order[2 * TG_SHAPE_MAX_RANK], count = 0;
    for (int i = 0; i < s->rank; i++) {
        if (s->list[i].dim != dim || s->list[i].extent == 1) continue;
        int k = count++;
        for (; k > 0 && s->list[order[k - 1]].step < s->list[i].step; k--) order[k] = order[k - 1];
        order[k] = i;
    }
    for (int k = 0; k < count; k++)
        tg_iters_put(d, s->list[order[k]].extent, strides[order[k]], TG_AXIS_m);
}

tg_status tg_transforms_to_axe(const tg_transforms *transforms, const tg_shape *shape, int bits,
                               tg_axe *out, tg_diags *diags)
{
    strips s;
    int64_t strides[2 * TG_SHAPE_MAX_RANK], step = 1;
    TG_TRY(apply(transforms, shape, bits, &s, diags));
    for (int i = s.rank - 1; i >= 0; i--) {
        strides[i] = step;
        step *= s.list[i].extent;
    }
    tg_axe_begin(out);
    for (int dim = 0; dim < shape->rank; dim++) put_dimension(&s, strides, dim, &out->d);
    if (s.swizzle) out->swizzle = swizzle_of(s.swizzle, bits);
    tg_axe_canonize(out);
    return tg_axe_check(out, diags);
}

tg_status tg_tile_swizzle(const tg_shape *tile, int rank, int minor, int bits, int *out,
                          tg_diags *diags)
{
    int64_t size;
    if (tile->rank > rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "a tile of rank %d, of an array of rank %d",
                       tile->rank, rank);
    if (minor >= 0 || minor < -tile->rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "a tile of rank %d has no dimension %d",
                       tile->rank, minor);
    if (__builtin_mul_overflow(tile->extent[tile->rank + minor], bits, &size) || size % 8 != 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "%" PRId64 " elements of %d bits are no whole bytes",
                       tile->extent[tile->rank + minor], bits);
    *out = CHUNK_BYTES;
    for (int bytes = 32; bytes <= MOST_BYTES; bytes *= 2)
        if (size == (int64_t)bytes * 8) *out = bytes;
    return TG_OK;
}

tg_status tg_tile_transpose(const tg_shape *tile, const tg_shape *permutation, tg_shape *out,
                            tg_diags *diags)
{
    const int first = permutation->rank - tile->rank;
    TG_TRY(check_permutation(permutation, permutation->rank, diags));
    if (first < 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "a tile of rank %d, of an array of rank %d",
                       tile->rank, permutation->rank);
    tg_shape moved = {.rank = tile->rank};
    for (int i = 0; i < tile->rank; i++) {
        const int64_t from = permutation->extent[first + i];
        if (from < first)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "a transpose makes dimension %" PRId64
                           ", which is not tiled, dimension %d, which is",
                           from, first + i);
        moved.extent[i] = tile->extent[from - first];
    }
    *out = moved;
    return TG_OK;
}
