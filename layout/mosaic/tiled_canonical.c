/* Canonical form and reduction of tiled layouts. */
#include <inttypes.h>
#include <string.h>

#include "layout/mosaic/tiled.h"

/* How many dimensions go away from each on, itself included: what is added to its negative index. */
typedef struct shifts {
    int by[TG_INTEGERS_MAX]; /* from the first dimension of the suffix on */
    bool gone[TG_INTEGERS_MAX];
} shifts;

static void sum_shifts(int rank, shifts *s)
{
    for (int i = rank - 1, sum = 0; i >= 0; i--) s->by[i] = sum += s->gone[i];
}

/* Appends a tile of one dimension, of extent 1: the last dimension of the tiled array has extent 1. */
static void add_unit_tile(tg_tiling *tiling)
{
    tiling->tiles[tiling->count++] = (tg_shape){1, {1}};
}

/* Which dimensions of `suffix` are not in `kept`, which has fewer extents of 1: from the end on. */
static void match_suffixes(const tg_integers *suffix, const tg_integers *kept, shifts *s)
{
    int k = kept->rank - 1;
    for (int i = suffix->rank - 1; i >= 0; i--) {
        s->gone[i] = !(k >= 0 && suffix->at[i] == kept->at[k]);
        if (!s->gone[i]) k--;
    }
    sum_shifts(suffix->rank, s);
}

static void drop_units(tg_partition *partition, const tg_integers *suffix, const shifts *s)
{
    int count = 0;
    for (int i = 0; i < partition->count; i++) {
        tg_counted part = partition->list[i];
        if (part.dim && tg_counted_extent(suffix, &part) == 1) continue;
        if (part.dim) part.dim += s->by[suffix->rank + part.dim];
        partition->list[count++] = part;
    }
    partition->count = count;
}

static bool counts(const tg_partition *partition, int dim)
{
    for (int i = 0; i < partition->count; i++)
        if (partition->list[i].dim == dim) return true;
    return false;
}

static void move_by(tg_partition *partition, int by)
{
    for (int i = 0; i < partition->count; i++)
        if (partition->list[i].dim) partition->list[i].dim += by;
}

/* Whether vectors along a dimension that stays hold what registers held, in the same order: it counts
 * registers, and so does none after it. */
static bool is_minor_register(const tg_tiled *tiled, const tg_integers *kept, int dim)
{
    if (dim >= 0 || counts(&tiled->warp, dim) || counts(&tiled->lane, dim)) return false;
    for (int d = dim + 1; d < 0; d++)
        if (kept->at[kept->rank + d] > 1 && !counts(&tiled->warp, d) && !counts(&tiled->lane, d))
            return false;
    return true;
}

/* A vector of length 1 whose dimension goes away: it moves to the next that stays, if order allows; else
 * it becomes the last dimension if that has extent 1, or else a new one. */
static void place_vector(tg_tiled *tiled, const tg_integers *kept, int next)
{
    tiled->vector_dim = next;
    if (is_minor_register(tiled, kept, next)) return;
    tiled->vector_dim = -1;
    if (kept->at[kept->rank - 1] == 1 && !counts(&tiled->warp, -1) && !counts(&tiled->lane, -1))
        return;
    add_unit_tile(&tiled->tiling);
    move_by(&tiled->warp, -1);
    move_by(&tiled->lane, -1);
}

void tg_tiled_canonize(tg_tiled *tiled)
{
    tg_integers suffix, kept;
    shifts s;
    tg_tiled_suffix(tiled, &suffix);
    tg_tiling_canonize(&tiled->tiling);
    tg_tiled_suffix(tiled, &kept);
    match_suffixes(&suffix, &kept, &s);
    drop_units(&tiled->warp, &suffix, &s);
    drop_units(&tiled->lane, &suffix, &s);
    const int at = suffix.rank + tiled->vector_dim;
    const int moved = tiled->vector_dim + s.by[at];
    if (s.gone[at])
        place_vector(tiled, &kept, moved);
    else
        tiled->vector_dim = moved;
}

static void replicate(tg_partition *partition, const tg_integers *suffix, const shifts *s,
                      int added)
{
    for (int i = 0; i < partition->count; i++) {
        tg_counted *part = &partition->list[i];
        if (!part->dim) continue;
        const int at = suffix->rank + part->dim;
        if (s->gone[at])
            *part = (tg_counted){0, suffix->at[at]};
        else
            part->dim += s->by[at] - added;
    }
}

tg_status tg_tiled_remove_dimension(tg_tiled *tiled, int dimension, tg_diags *diags)
{
    const int base = tiled->tiling.tiles[0].rank;
    int origins[TG_INTEGERS_MAX];
    tg_integers suffix;
    shifts s;
    if (dimension < 0 || dimension >= base)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "dimension %d is none of the first tile, which has rank %d", dimension,
                       base);
    tg_tiled_suffix(tiled, &suffix);
    tg_tiling_origins(&tiled->tiling, base, origins);
    for (int i = 0; i < suffix.rank; i++) s.gone[i] = origins[base + i] == dimension;
    sum_shifts(suffix.rank, &s);
    tg_tiling_remove_dimension(&tiled->tiling, dimension);
    const int at = suffix.rank + tiled->vector_dim;
    if (s.gone[at]) add_unit_tile(&tiled->tiling);
    replicate(&tiled->warp, &suffix, &s, s.gone[at]);
    replicate(&tiled->lane, &suffix, &s, s.gone[at]);
    tiled->vector_dim = s.gone[at] ? -1 : tiled->vector_dim + s.by[at];
    tg_tiled_canonize(tiled);
    return TG_OK;
}

tg_status tg_tiled_reduce(const tg_tiled *tiled, const int *axes, int count, tg_tiled *out,
                          tg_diags *diags)
{
    const int base = tiled->tiling.tiles[0].rank;
    bool reduced[TG_SHAPE_MAX_RANK] = {false};
    for (int i = 0; i < count; i++) {
        if (axes[i] < 0 || axes[i] >= base)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "axis %d is none of the first tile, which has rank %d", axes[i], base);
        if (reduced[axes[i]])
            return tg_fail(diags, TG_ERR_INVALID, NULL, "axis %d is reduced twice", axes[i]);
        reduced[axes[i]] = true;
    }
    *out = *tiled;
    for (int axis = base - 1; axis >= 0; axis--)
        if (reduced[axis]) TG_TRY(tg_tiled_remove_dimension(out, axis, diags));
    return TG_OK;
}
