#include "layout/mosaic/tiling.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(TG_SHAPE_MAX_RANK + TG_TILING_MAX_TILES <= TG_INTEGERS_MAX, "tiled arrays fit");

tg_status tg_tiling_check(const tg_tiling *tiling, tg_diags *diags)
{
    int rank = 0;
    for (int k = 0; k < tiling->count; k++) {
        const tg_shape *tile = &tiling->tiles[k];
        int64_t size;
        if (tile->rank == 0)
            return tg_fail(diags, TG_ERR_INVALID, NULL, "tile %d has no dimension", k);
        if (k && tile->rank > tiling->tiles[k - 1].rank)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "tile %d has rank %d, more than the %d of the tile before it", k,
                           tile->rank, tiling->tiles[k - 1].rank);
        TG_TRY(tg_shape_size(tile, &size, diags));
        rank += tile->rank;
    }
    if (rank > TG_TILING_MOST_DIMS)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "the tiles have %d dimensions together; at most %d are supported", rank,
                       TG_TILING_MOST_DIMS);
    return TG_OK;
}

static tg_status does_not_apply(const tg_tiling *tiling, const int64_t *at, int rank,
                                const char *what, tg_diags *diags)
{
    tg_text text = {0};
    tg_tiling_print(tiling, &text);
    tg_text_put(&text, " does not apply to ");
    tg_integers_print(at, rank, &text);
    char *said = tg_text_finish(&text);
    const tg_status status =
        tg_fail(diags, TG_ERR_INVALID, NULL, "tiling %s: %s", said ? said : "", what);
    free(said);
    return status;
}

/* Inserts `count` dimensions of `inner` at the end. */
static void append(tg_integers *dims, const int64_t *inner, int count)
{
    memcpy(dims->at + dims->rank, inner, (size_t)count * sizeof *inner);
    dims->rank += count;
}

tg_status tg_tiling_tile_shape(const tg_tiling *tiling, const tg_shape *shape, tg_integers *out,
                               tg_diags *diags)
{
    tg_integers_of(shape, out);
    for (int k = 0; k < tiling->count; k++) {
        const tg_shape *tile = &tiling->tiles[k];
        const int first = out->rank - tile->rank;
        if (first < 0)
            return does_not_apply(tiling, shape->extent, shape->rank, "its rank is too low", diags);
        for (int i = 0; i < tile->rank; i++) {
            int64_t *extent = &out->at[first + i];
            if (*extent % tile->extent[i] != 0)
                return does_not_apply(tiling, shape->extent, shape->rank,
                                      "a tile does not divide an extent", diags);
            *extent /= tile->extent[i];
        }
        append(out, tile->extent, tile->rank);
    }
    return TG_OK;
}

static tg_status no_tiled_shape(const tg_tiling *tiling, const tg_integers *dims, tg_diags *diags)
{
    return does_not_apply(tiling, dims->at, dims->rank, "no array has this shape when it is tiled",
                          diags);
}

tg_status tg_tiling_untile_shape(const tg_tiling *tiling, const tg_integers *dims, tg_shape *out,
                                 tg_diags *diags)
{
    tg_integers rest = *dims;
    for (int k = tiling->count - 1; k >= 0; k--) {
        const tg_shape *tile = &tiling->tiles[k];
        const int inner = rest.rank - tile->rank;
        if (inner < tile->rank) return no_tiled_shape(tiling, dims, diags);
        for (int i = 0; i < tile->rank; i++) {
            int64_t *outer = &rest.at[inner - tile->rank + i];
            if (rest.at[inner + i] != tile->extent[i] ||
                __builtin_mul_overflow(*outer, tile->extent[i], outer))
                return no_tiled_shape(tiling, dims, diags);
        }
        rest.rank = inner;
    }
    if (rest.rank > TG_SHAPE_MAX_RANK) return no_tiled_shape(tiling, dims, diags);
    tg_integers_shape(&rest, out);
    return TG_OK;
}

tg_status tg_tiling_tile_strides(const tg_tiling *tiling, const tg_shape *strides, tg_integers *out,
                                 tg_diags *diags)
{
    tg_integers_of(strides, out);
    for (int k = 0; k < tiling->count; k++) {
        const tg_shape *tile = &tiling->tiles[k];
        const int first = out->rank - tile->rank;
        if (first < 0)
            return does_not_apply(tiling, strides->extent, strides->rank, "its rank is too low",
                                  diags);
        int64_t inner[TG_SHAPE_MAX_RANK];
        memcpy(inner, out->at + first, (size_t)tile->rank * sizeof *inner);
        for (int i = 0; i < tile->rank; i++)
            if (__builtin_mul_overflow(inner[i], tile->extent[i], &out->at[first + i]))
                return does_not_apply(tiling, strides->extent, strides->rank,
                                      "a stride does not fit in 63 bits", diags);
        append(out, inner, tile->rank);
    }
    return TG_OK;
}

tg_status tg_tiling_tile_indices(const tg_tiling *tiling, const tg_shape *at, tg_integers *out,
                                 tg_diags *diags)
{
    for (int i = 0; i < at->rank; i++)
        if (at->extent[i] < 0)
            return tg_fail(diags, TG_ERR_INVALID, NULL, "index %d is %" PRId64 ", below 0", i,
                           at->extent[i]);
    tg_integers_of(at, out);
    for (int k = 0; k < tiling->count; k++) {
        const tg_shape *tile = &tiling->tiles[k];
        const int first = out->rank - tile->rank;
        if (first < 0)
            return does_not_apply(tiling, at->extent, at->rank, "its rank is too low", diags);
        int64_t inner[TG_SHAPE_MAX_RANK];
        for (int i = 0; i < tile->rank; i++) {
            inner[i] = out->at[first + i] % tile->extent[i];
            out->at[first + i] /= tile->extent[i];
        }
        append(out, inner, tile->rank);
    }
    return TG_OK;
}

tg_status tg_tiling_untile_indices(const tg_tiling *tiling, const tg_integers *at, tg_shape *out,
                                   tg_diags *diags)
{
    tg_integers rest = *at;
    for (int k = tiling->count - 1; k >= 0; k--) {
        const tg_shape *tile = &tiling->tiles[k];
        const int inner = rest.rank - tile->rank;
        if (inner < tile->rank) return no_tiled_shape(tiling, at, diags);
        for (int i = 0; i < tile->rank; i++) {
            int64_t *outer = &rest.at[inner - tile->rank + i];
            const int64_t digit = rest.at[inner + i];
            if (digit < 0 || digit >= tile->extent[i] || *outer < 0 ||
                __builtin_mul_overflow(*outer, tile->extent[i], outer) ||
                __builtin_add_overflow(*outer, digit, outer))
                return no_tiled_shape(tiling, at, diags);
        }
        rest.rank = inner;
    }
    if (rest.rank > TG_SHAPE_MAX_RANK) return no_tiled_shape(tiling, at, diags);
    tg_integers_shape(&rest, out);
    return TG_OK;
}

/* Without leading ones, of which the last stays if there is nothing else. */
static void strip_ones(tg_shape *tile)
{
    int ones = 0;
    while (ones + 1 < tile->rank && tile->extent[ones] == 1) ones++;
    tile->rank -= ones;
    memmove(tile->extent, tile->extent + ones, (size_t)tile->rank * sizeof *tile->extent);
}

/* Whether a tile is what the last dimensions of the one before it are. */
static bool cuts_nothing(const tg_shape *before, const tg_shape *tile)
{
    if (tile->rank > before->rank) return false;
    return memcmp(before->extent + before->rank - tile->rank, tile->extent,
                  (size_t)tile->rank * sizeof *tile->extent) == 0;
}

void tg_tiling_canonize(tg_tiling *tiling)
{
    int count = tiling->count < 1 ? 0 : 1;
    for (int k = 1; k < tiling->count; k++) {
        tg_shape tile = tiling->tiles[k];
        strip_ones(&tile);
        if (!cuts_nothing(&tiling->tiles[count - 1], &tile)) tiling->tiles[count++] = tile;
    }
    tiling->count = count;
}

int tg_tiling_origins(const tg_tiling *tiling, int rank, int origins[TG_INTEGERS_MAX])
{
    for (int i = 0; i < rank; i++) origins[i] = i;
    for (int k = 0; k < tiling->count; k++)
        for (int i = 0, last = tiling->tiles[k].rank; i < last; i++) {
            origins[rank] = origins[rank - last];
            rank++;
        }
    return rank;
}

void tg_tiling_remove_dimension(tg_tiling *tiling, int dimension)
{
    int at = dimension, count = 0, before = tiling->tiles[0].rank;
    for (int k = 0; k < tiling->count; k++) {
        tg_shape tile = tiling->tiles[k];
        at -= before - tile.rank;
        before = tile.rank;
        if (at >= 0) {
            tile.rank--;
            for (int i = at; i < tile.rank; i++) tile.extent[i] = tile.extent[i + 1];
        }
        if (tile.rank == 0) break; /* and so are all that follow */
        tiling->tiles[count++] = tile;
    }
    tiling->count = count;
}

void tg_tiling_print(const tg_tiling *tiling, tg_text *out)
{
    tg_text_put(out, "(");
    for (int k = 0; k < tiling->count; k++) {
        if (k) tg_text_put(out, ", ");
        tg_integers_print(tiling->tiles[k].extent, tiling->tiles[k].rank, out);
    }
    tg_text_put(out, tiling->count == 1 ? ",)" : ")");
}
