#include "layout/mosaic/fragment.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout/thread.h"

enum { CELL_BITS = 32 };

static tg_status check_strided(const tg_fragment *fragment, tg_diags *diags)
{
    int64_t size, step;
    TG_TRY(tg_shape_size(&fragment->shape, &size, diags));
    if (fragment->vector_length < 1)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "a vector has %" PRId64 " elements; at least 1",
                       fragment->vector_length);
    if (__builtin_mul_overflow(fragment->vector_length, TG_WARPGROUP_THREADS, &step) ||
        size % step != 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "%" PRId64 " elements are no multiple of %d vectors of %" PRId64, size,
                       TG_WARPGROUP_THREADS, fragment->vector_length);
    return TG_OK;
}

tg_status tg_fragment_check(const tg_fragment *fragment, tg_diags *diags)
{
    int64_t size;
    if (fragment->kind == TG_FRAGMENT_STRIDED) return check_strided(fragment, diags);
    if (fragment->kind == TG_FRAGMENT_SPLAT) return tg_shape_size(&fragment->shape, &size, diags);
    return tg_tiled_check(&fragment->tiled, diags);
}

static bool same_shape(const tg_shape *a, const tg_shape *b)
{
    return a->rank == b->rank &&
           memcmp(a->extent, b->extent, (size_t)a->rank * sizeof *a->extent) == 0;
}

static tg_status fits_tmem(const tg_tiled *tiled, const tg_shape *shape, int bits, tg_diags *diags)
{
    const int64_t length = tg_tiled_vector_length(tiled);
    tg_integers dims;
    if (bits < 1 || bits > CELL_BITS || CELL_BITS % bits != 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "an element of tensor memory has %d bits, which do not divide %d", bits,
                       CELL_BITS);
    if (shape->rank != 2)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "an array in tensor memory has 2 dimensions, not %d", shape->rank);
    TG_TRY(tg_tiling_tile_shape(&tiled->tiling, shape, &dims, diags));
    if (length == 1 || length == CELL_BITS / bits) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL,
                   "a vector has %" PRId64 " elements of %d bits; in tensor memory it has 1 or %d",
                   length, bits, CELL_BITS / bits);
}

tg_status tg_fragment_fits(const tg_fragment *fragment, const tg_shape *shape, int bits,
                           tg_diags *diags)
{
    tg_integers dims;
    int64_t size;
    TG_TRY(tg_shape_size(shape, &size, diags));
    if (fragment->kind == TG_FRAGMENT_TMEM) return fits_tmem(&fragment->tiled, shape, bits, diags);
    if (fragment->kind == TG_FRAGMENT_TILED)
        return tg_tiling_tile_shape(&fragment->tiled.tiling, shape, &dims, diags);
    if (same_shape(&fragment->shape, shape)) return TG_OK;
    tg_text text = {0};
    tg_integers_print(shape->extent, shape->rank, &text);
    tg_text_put(&text, " is not the shape of the layout, ");
    tg_integers_print(fragment->shape.extent, fragment->shape.rank, &text);
    char *said = tg_text_finish(&text);
    const tg_status status = tg_fail(diags, TG_ERR_INVALID, NULL, "%s", said ? said : "");
    free(said);
    return status;
}

tg_status tg_tmem_columns(const tg_tiled *tiled, const tg_shape *shape, int bits, int64_t *out,
                          tg_diags *diags)
{
    int64_t size;
    TG_TRY(tg_shape_size(shape, &size, diags));
    TG_TRY(fits_tmem(tiled, shape, bits, diags));
    *out = size / tg_tiled_vector_length(tiled);
    if (__builtin_mul_overflow(*out, tg_tiled_copies(tiled), out))
        return tg_fail(diags, TG_ERR_INVALID, NULL, "the columns do not fit in 63 bits");
    *out /= TG_WARPGROUP_THREADS;
    return TG_OK;
}

/* ---- reduction ---- */

static tg_status check_axes(const tg_shape *shape, int rank, const int *axes, int count,
                            tg_diags *diags)
{
    if (shape && shape->rank != rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the shape of the layout has rank %d, the array has rank %d", shape->rank,
                       rank);
    for (int i = 0; i < count; i++)
        if (axes[i] < 0 || axes[i] >= rank || (i && axes[i] <= axes[i - 1]))
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "axis %d is none of an array of rank %d, or not in ascending order",
                           axes[i], rank);
    return TG_OK;
}

static void reduce_shape(const int *axes, int count, bool keep, tg_shape *shape)
{
    int rank = 0;
    for (int i = 0, k = 0; i < shape->rank; i++) {
        const bool reduced = k < count && axes[k] == i;
        k += reduced;
        if (!reduced || keep) shape->extent[rank++] = reduced ? 1 : shape->extent[i];
    }
    shape->rank = rank;
}

static tg_status reduce_tiled(const tg_tiled *tiled, int rank, const int *axes, int count,
                              tg_tiled *out, tg_diags *diags)
{
    const int untiled = rank - tiled->tiling.tiles[0].rank;
    int in_tile[TG_SHAPE_MAX_RANK], used = 0;
    if (untiled < 0 || rank > TG_SHAPE_MAX_RANK)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "an array of rank %d is less than the %d of the first tile", rank,
                       tiled->tiling.tiles[0].rank);
    for (int i = 0; i < count; i++)
        if (axes[i] >= untiled) in_tile[used++] = axes[i] - untiled;
    return tg_tiled_reduce(tiled, in_tile, used, out, diags);
}

/* The elements after the last axis must be whole rounds of vectors: then each thread keeps its own. */
static tg_status check_strided_axes(const tg_fragment *fragment, const int *axes, int count,
                                    tg_diags *diags)
{
    int64_t after = 1;
    for (int i = count ? axes[count - 1] + 1 : 0; i < fragment->shape.rank; i++)
        after *= fragment->shape.extent[i];
    if (after % (fragment->vector_length * TG_WARPGROUP_THREADS) == 0) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "%" PRId64
                   " elements follow the last axis, no multiple of %d vectors of %" PRId64,
                   after, TG_WARPGROUP_THREADS, fragment->vector_length);
}

tg_status tg_fragment_reduce(const tg_fragment *fragment, int rank, const int *axes, int count,
                             bool keep, tg_fragment *out, tg_diags *diags)
{
    const bool is_tiled = fragment->kind == TG_FRAGMENT_TILED;
    if (fragment->kind == TG_FRAGMENT_TMEM)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "an array in tensor memory is not reduced there");
    TG_TRY(check_axes(is_tiled ? NULL : &fragment->shape, rank, axes, count, diags));
    if (is_tiled && keep)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "a tiled layout has no form in which a reduced axis stays");
    *out = *fragment;
    if (is_tiled) return reduce_tiled(&fragment->tiled, rank, axes, count, &out->tiled, diags);
    if (fragment->kind == TG_FRAGMENT_STRIDED)
        TG_TRY(check_strided_axes(fragment, axes, count, diags));
    reduce_shape(axes, count, keep, &out->shape);
    return TG_OK;
}

/* ---- another shape ---- */

static tg_status reshape_tiled(const tg_shape *tile, const tg_shape *from, const tg_shape *to,
                               tg_diags *diags)
{
    const int rank = tile->rank;
    if (to->rank < rank)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "the shape has rank %d, less than the %d of the first tile", to->rank, rank);
    for (int i = 1; i < rank; i++)
        if (from->extent[from->rank - rank + i] != to->extent[to->rank - rank + i])
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "tiled dimension %d is %" PRId64 " of one shape and %" PRId64
                           " of the other; only the first of a tile may change",
                           i - rank, from->extent[from->rank - rank + i],
                           to->extent[to->rank - rank + i]);
    if (to->extent[to->rank - rank] % tile->extent[0] != 0)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "a tile of %" PRId64 " does not divide dimension %d, which is %" PRId64,
                       tile->extent[0], -rank, to->extent[to->rank - rank]);
    return TG_OK;
}

tg_status tg_fragment_reshape(const tg_fragment *fragment, const tg_shape *from, const tg_shape *to,
                              tg_fragment *out, tg_diags *diags)
{
    int64_t before, after;
    TG_TRY(tg_shape_size(from, &before, diags));
    TG_TRY(tg_shape_size(to, &after, diags));
    if (before != after)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "one shape has %" PRId64 " elements, the other %" PRId64, before, after);
    if (fragment->kind == TG_FRAGMENT_TMEM)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "an array in tensor memory has no other shape");
    if (fragment->kind == TG_FRAGMENT_TILED) {
        TG_TRY(tg_fragment_fits(fragment, from, 0, diags));
        TG_TRY(reshape_tiled(&fragment->tiled.tiling.tiles[0], from, to, diags));
        *out = *fragment;
        return TG_OK;
    }
    TG_TRY(tg_fragment_fits(fragment, from, 0, diags));
    *out = *fragment;
    out->shape = *to;
    return TG_OK;
}

bool tg_fragment_same(const tg_fragment *a, const tg_fragment *b)
{
    if (a->kind != b->kind) return false;
    if (a->kind == TG_FRAGMENT_TILED || a->kind == TG_FRAGMENT_TMEM)
        return tg_tiled_same(&a->tiled, &b->tiled);
    return same_shape(&a->shape, &b->shape) &&
           (a->kind == TG_FRAGMENT_SPLAT || a->vector_length == b->vector_length);
}
