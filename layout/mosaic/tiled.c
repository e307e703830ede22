#include "layout/mosaic/tiled.h"

#include <inttypes.h>
#include <string.h>

#include "layout/thread.h"

enum { WARPS = TG_WARPGROUP_THREADS / TG_WARP_THREADS };

void tg_tiled_suffix(const tg_tiled *tiled, tg_integers *out)
{
    const tg_shape *base = &tiled->tiling.tiles[0];
    tg_tiling_tile_shape(&tiled->tiling, base, out, NULL);
    out->rank -= base->rank;
    memmove(out->at, out->at + base->rank, (size_t)out->rank * sizeof *out->at);
}

int64_t tg_counted_extent(const tg_integers *suffix, const tg_counted *part)
{
    return part->dim ? suffix->at[suffix->rank + part->dim] : part->times;
}

/* ---- checks ---- */

static tg_status check_dim(int dim, int rank, const char *whose, bool *used, tg_diags *diags)
{
    if (dim >= 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "the %s dimension %d is not negative", whose,
                       dim);
    if (dim < -rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the %s dimension %d is none of a tile, which have %d together", whose, dim,
                       rank);
    if (used[rank + dim])
        return tg_fail(diags, TG_ERR_INVALID, NULL, "dimension %d is used twice", dim);
    used[rank + dim] = true;
    return TG_OK;
}

static tg_status check_partition(const tg_partition *partition, const tg_integers *suffix,
                                 const char *whose, int64_t wanted, bool *used, tg_diags *diags)
{
    int64_t product = 1;
    for (int i = 0; i < partition->count; i++) {
        const tg_counted *part = &partition->list[i];
        if (part->dim || part->times == 0)
            TG_TRY(check_dim(part->dim, suffix->rank, whose, used, diags));
        else if (part->times < 1)
            return tg_fail(diags, TG_ERR_INVALID, NULL, "there are %" PRId64 " copies; at least 1",
                           part->times);
        if (__builtin_mul_overflow(product, tg_counted_extent(suffix, part), &product))
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "the product of the %s dimensions does not fit in 63 bits", whose);
    }
    if (product == wanted) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL,
                   "the product of the %s dimensions is %" PRId64 ", not %" PRId64, whose, product,
                   wanted);
}

tg_status tg_tiled_check(const tg_tiled *tiled, tg_diags *diags)
{
    const tg_tiling *tiling = &tiled->tiling;
    tg_integers suffix;
    bool used[TG_INTEGERS_MAX] = {false};
    TG_TRY(tg_tiling_check(tiling, diags));
    if (tiling->count == 0) return tg_fail(diags, TG_ERR_INVALID, NULL, "the tiling has no tile");
    TG_TRY(tg_tiling_tile_shape(tiling, &tiling->tiles[0], &suffix, diags));
    tg_tiled_suffix(tiled, &suffix);
    TG_TRY(check_partition(&tiled->warp, &suffix, "warp", WARPS, used, diags));
    TG_TRY(check_partition(&tiled->lane, &suffix, "lane", TG_WARP_THREADS, used, diags));
    return check_dim(tiled->vector_dim, suffix.rank, "vector", used, diags);
}

/* ---- who holds what ---- */

int64_t tg_tiled_vector_length(const tg_tiled *tiled)
{
    tg_integers suffix;
    tg_tiled_suffix(tiled, &suffix);
    return suffix.at[suffix.rank + tiled->vector_dim];
}

static int64_t copies_of(const tg_partition *partition)
{
    int64_t copies = 1;
    for (int i = 0; i < partition->count; i++)
        if (!partition->list[i].dim) copies *= partition->list[i].times;
    return copies;
}

int64_t tg_tiled_copies(const tg_tiled *tiled)
{
    return copies_of(&tiled->warp) * copies_of(&tiled->lane);
}

/* Sets the extents of the dimensions that a partition counts, or sets them to 1. */
static void set_extents(const tg_partition *partition, const tg_integers *suffix, tg_integers *dims)
{
    for (int i = 0; i < partition->count; i++) {
        const tg_counted *part = &partition->list[i];
        if (part->dim)
            dims->at[dims->rank + part->dim] = suffix ? tg_counted_extent(suffix, part) : 1;
    }
}

tg_status tg_tiled_registers(const tg_tiled *tiled, const tg_shape *shape, tg_integers *out,
                             tg_diags *diags)
{
    TG_TRY(tg_tiling_tile_shape(&tiled->tiling, shape, out, diags));
    set_extents(&tiled->warp, NULL, out);
    set_extents(&tiled->lane, NULL, out);
    out->at[out->rank + tiled->vector_dim] = 1;
    return TG_OK;
}

tg_status tg_tiled_shape_of(const tg_tiled *tiled, const tg_integers *registers, tg_shape *out,
                            tg_diags *diags)
{
    tg_integers suffix, dims = *registers;
    tg_tiled_suffix(tiled, &suffix);
    if (registers->rank < suffix.rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "an array of registers of rank %d is less than the %d of the tiles",
                       registers->rank, suffix.rank);
    set_extents(&tiled->warp, &suffix, &dims);
    set_extents(&tiled->lane, &suffix, &dims);
    dims.at[dims.rank + tiled->vector_dim] = suffix.at[suffix.rank + tiled->vector_dim];
    return tg_tiling_untile_shape(&tiled->tiling, &dims, out, diags);
}

/* The digits of the index of a warp or a lane, in the tiled array. */
static void put_digits(const tg_partition *partition, const tg_integers *suffix, int64_t index,
                       tg_integers *at)
{
    for (int i = partition->count - 1; i >= 0; i--) {
        const tg_counted *part = &partition->list[i];
        const int64_t extent = tg_counted_extent(suffix, part);
        if (part->dim) at->at[at->rank + part->dim] = index % extent;
        index /= extent;
    }
}

tg_status tg_tiled_element(const tg_tiled *tiled, const tg_shape *shape, int64_t thread,
                           int64_t value, tg_shape *out, tg_diags *diags)
{
    tg_integers suffix, at, registers;
    const int64_t length = tg_tiled_vector_length(tiled);
    tg_tiled_suffix(tiled, &suffix);
    TG_TRY(tg_tiled_registers(tiled, shape, &registers, diags));
    if (thread < 0 || thread >= TG_WARPGROUP_THREADS)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "thread %" PRId64 " is none of a warpgroup, which has %d", thread,
                       TG_WARPGROUP_THREADS);
    int64_t index = value / length;
    at.rank = registers.rank;
    for (int i = at.rank - 1; i >= 0; i--) {
        at.at[i] = index % registers.at[i];
        index /= registers.at[i];
    }
    if (value < 0 || index)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "a thread holds no value %" PRId64, value);
    put_digits(&tiled->warp, &suffix, thread / TG_WARP_THREADS, &at);
    put_digits(&tiled->lane, &suffix, thread % TG_WARP_THREADS, &at);
    at.at[at.rank + tiled->vector_dim] = value % length;
    return tg_tiling_untile_indices(&tiled->tiling, &at, out, diags);
}

static bool same_partition(const tg_partition *a, const tg_partition *b)
{
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++)
        if (a->list[i].dim != b->list[i].dim ||
            (!a->list[i].dim && a->list[i].times != b->list[i].times))
            return false;
    return true;
}

bool tg_tiled_same(const tg_tiled *a, const tg_tiled *b)
{
    if (a->tiling.count != b->tiling.count || a->vector_dim != b->vector_dim) return false;
    for (int k = 0; k < a->tiling.count; k++) {
        const tg_shape *x = &a->tiling.tiles[k], *y = &b->tiling.tiles[k];
        if (x->rank != y->rank ||
            memcmp(x->extent, y->extent, (size_t)x->rank * sizeof *x->extent) != 0)
            return false;
    }
    return same_partition(&a->warp, &b->warp) && same_partition(&a->lane, &b->lane);
}
