/* Transforms of views: of the transposed array, of the array with dimensions made one, of its parts. */
#include <inttypes.h>
#include <string.h>

#include "layout/mosaic/transforms.h"

static tg_status add(const tg_transform *t, tg_transforms *out, tg_diags *diags)
{
    if (out->count == TG_TRANSFORMS_MAX)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "there are more than %d transforms",
                       TG_TRANSFORMS_MAX);
    out->list[out->count++] = *t;
    return TG_OK;
}

/* What puts the dimensions of the transposed array back: those outside of tiles, then those of tiles. */
static tg_status undo(const tg_shape *permutation, int tiled, tg_shape *out, tg_diags *diags)
{
    const int rank = permutation->rank;
    if (rank + tiled > TG_SHAPE_MAX_RANK)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "the tiled array has rank %d; at most %d is supported", rank + tiled,
                       TG_SHAPE_MAX_RANK);
    out->rank = rank + tiled;
    for (int i = 0; i < rank; i++) out->extent[permutation->extent[i]] = i;
    for (int i = rank - tiled; i < rank; i++)
        out->extent[permutation->extent[i] + tiled] = i + tiled;
    return TG_OK;
}

tg_status tg_transforms_transpose(const tg_transforms *transforms, const tg_shape *permutation,
                                  tg_transforms *out, tg_diags *diags)
{
    const bool has_tile = transforms->count && transforms->list[0].kind == TG_TRANSFORM_TILE;
    tg_transform tile = {.kind = TG_TRANSFORM_TILE}, back = {.kind = TG_TRANSFORM_TRANSPOSE};
    const tg_shape none = {0};
    const tg_shape *old = has_tile ? &transforms->list[0].list : &none;
    tg_transforms made = {0};
    TG_TRY(tg_tile_transpose(old, permutation, &tile.list, diags));
    TG_TRY(undo(permutation, old->rank, &back.list, diags));
    if (has_tile) TG_TRY(add(&tile, &made, diags));
    TG_TRY(add(&back, &made, diags));
    for (int k = has_tile; k < transforms->count; k++)
        TG_TRY(add(&transforms->list[k], &made, diags));
    *out = made;
    return TG_OK;
}

static tg_status check_groups(const tg_shape *tile, const tg_shape *shape, const tg_shape *groups,
                              tg_diags *diags)
{
    int64_t dims = 0;
    for (int i = 0; i < groups->rank; i++) {
        if (groups->extent[i] < 1 || groups->extent[i] > shape->rank)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "a group has %" PRId64 " dimensions; at least 1, and at most all",
                           groups->extent[i]);
        dims += groups->extent[i];
    }
    if (dims != shape->rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the groups have %" PRId64 " dimensions, the shape %d", dims, shape->rank);
    if (tile->rank > shape->rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "a tile of rank %d, of an array of rank %d",
                       tile->rank, shape->rank);
    for (int i = 0; i < tile->rank; i++) {
        const int64_t extent = shape->extent[shape->rank - tile->rank + i];
        if (tile->extent[i] < 1 || extent % tile->extent[i] != 0)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "a tile of %" PRId64 " does not divide dimension %d, which has %" PRId64,
                           tile->extent[i], shape->rank - tile->rank + i, extent);
    }
    return TG_OK;
}

/* The tile of `count` dimensions made one: ones, then one of any size, then whole dimensions. */
static tg_status collapse_group(const int64_t *tile, const int64_t *extent, int count, int64_t *out,
                                tg_diags *diags)
{
    int i = count - 1;
    *out = 1;
    for (; i >= 0 && tile[i] == extent[i]; i--) *out *= tile[i];
    if (i >= 0) *out *= tile[i--];
    for (; i >= 0; i--)
        if (tile[i] != 1)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "of dimensions that become one, a tile cuts one at %" PRId64
                           " of %" PRId64 ", and also one after it",
                           tile[i], extent[i]);
    return TG_OK;
}

tg_status tg_tile_collapse(const tg_shape *tile, const tg_shape *shape, const tg_shape *groups,
                           tg_shape *out, tg_diags *diags)
{
    TG_TRY(check_groups(tile, shape, groups, diags));
    tg_shape reversed = {0};
    int left = tile->rank, end = shape->rank; /* dimensions of the tile, of the shape */
    for (int g = groups->rank - 1; g >= 0 && left > 0; g--) {
        const int count = (int)groups->extent[g];
        if (count > left)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "dimension %d, which is not tiled, and the next become one",
                           end - left - 1);
        left -= count;
        end -= count;
        TG_TRY(collapse_group(tile->extent + left, shape->extent + end, count,
                              &reversed.extent[reversed.rank++], diags));
    }
    out->rank = reversed.rank;
    for (int i = 0; i < out->rank; i++) out->extent[i] = reversed.extent[out->rank - 1 - i];
    return TG_OK;
}

static bool has_swizzle(const tg_transforms *transforms)
{
    for (int k = 0; k < transforms->count; k++)
        if (transforms->list[k].kind == TG_TRANSFORM_SWIZZLE && transforms->list[k].bytes > 16)
            return true;
    return false;
}

tg_status tg_transforms_collapse(const tg_transforms *transforms, const tg_shape *shape,
                                 const tg_shape *groups, tg_transforms *out, tg_diags *diags)
{
    const bool has_tile = transforms->count && transforms->list[0].kind == TG_TRANSFORM_TILE;
    const tg_shape none = {0};
    const tg_shape *old = has_tile ? &transforms->list[0].list : &none;
    tg_shape tile;
    TG_TRY(tg_tile_collapse(old, shape, groups, &tile, diags));
    for (int k = has_tile; k < transforms->count; k++)
        if (transforms->list[k].kind != TG_TRANSFORM_SWIZZLE)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "transform %d is not of the dimensions that become one", k);
    const int64_t *last = has_tile ? &old->extent[old->rank - 1] : NULL;
    const bool changes = has_tile ? tile.extent[tile.rank - 1] != *last
                                  : groups->rank && groups->extent[groups->rank - 1] > 1;
    if (has_swizzle(transforms) && changes)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "the last dimension, which is swizzled, becomes longer");
    *out = *transforms;
    if (has_tile) out->list[0].list = tile;
    return TG_OK;
}

tg_status tg_transforms_check_slice(const tg_transforms *transforms, const tg_shape *shape,
                                    int bits, const tg_shape *first, const tg_shape *extent,
                                    tg_diags *diags)
{
    const bool has_tile = transforms->count && transforms->list[0].kind == TG_TRANSFORM_TILE;
    const tg_shape none = {0};
    const tg_shape *tile = has_tile ? &transforms->list[0].list : &none;
    tg_shape physical;
    TG_TRY(tg_transforms_shape(transforms, shape, bits, &physical, diags));
    if (first->rank != shape->rank || extent->rank != shape->rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "a part of rank %d, of an array of rank %d",
                       extent->rank, shape->rank);
    for (int i = 0; i < shape->rank; i++) {
        const int k = i - shape->rank + tile->rank;
        const bool is_whole = !has_tile && has_swizzle(transforms) && i == shape->rank - 1;
        const int64_t unit = k >= 0 ? tile->extent[k] : is_whole ? shape->extent[i] : 1;
        const int64_t begin = first->extent[i], count = extent->extent[i];
        if (begin < 0 || count < 1 || count > shape->extent[i] || begin > shape->extent[i] - count)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "%" PRId64 " from %" PRId64
                           " on are not in dimension %d, which has %" PRId64,
                           count, begin, i, shape->extent[i]);
        if (begin % unit != 0 || count % unit != 0)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "%" PRId64 " from %" PRId64
                           " on in dimension %d are not whole %s of %" PRId64,
                           count, begin, i, is_whole ? "swizzled rows" : "tiles", unit);
    }
    return TG_OK;
}
