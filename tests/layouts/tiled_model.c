#include "layouts/tiled_model.h"

#include <stdlib.h>
#include <string.h>

void digits_of(const int64_t *extent, int rank, int64_t index, int64_t *out)
{
    for (int i = rank - 1; i >= 0; i--) {
        out[i] = index % extent[i];
        index /= extent[i];
    }
}

void unfold_begin(const tg_shape *shape, unfolded *out)
{
    out->rank = shape->rank;
    out->size = 1;
    for (int i = 0; i < shape->rank; i++) {
        out->extent[i] = shape->extent[i];
        out->size *= (int)shape->extent[i];
    }
    if (out->size > UNFOLDED_MOST) abort();
    for (int i = 0; i < out->size; i++) out->element[i] = i;
}

/* Fills the array with the elements that `before` has at old[] = at[] + steps: a copy, rearranged. */
static void rearrange(const unfolded *before, const int64_t *step, unfolded *out)
{
    int64_t at[TG_INTEGERS_MAX] = {0}, from = 0;
    for (int p = 0; p < out->size; p++) {
        out->element[p] = before->element[from];
        for (int i = out->rank - 1; i >= 0; i--) {
            from += step[i];
            if (++at[i] < out->extent[i]) break;
            from -= step[i] * at[i];
            at[i] = 0;
        }
    }
}

/* The distance of neighbours along each dimension, in a row-major array. */
static void steps_of(const unfolded *array, int64_t *out)
{
    int64_t step = 1;
    for (int i = array->rank - 1; i >= 0; i--) {
        out[i] = step;
        step *= array->extent[i];
    }
}

bool unfold_by(const tg_shape *tile, unfolded *array)
{
    static unfolded before;
    int64_t step[2 * TG_INTEGERS_MAX];
    const int first = array->rank - tile->rank;
    if (first < 0) return false;
    for (int i = 0; i < tile->rank; i++)
        if (array->extent[first + i] % tile->extent[i] != 0) return false;
    before.rank = array->rank;
    before.size = array->size;
    memcpy(before.extent, array->extent, sizeof before.extent);
    memcpy(before.element, array->element, (size_t)array->size * sizeof *array->element);
    steps_of(array, step);
    for (int i = 0; i < tile->rank; i++) {
        step[array->rank + i] = step[first + i];
        array->extent[array->rank + i] = tile->extent[i];
        step[first + i] *= tile->extent[i];
        array->extent[first + i] /= tile->extent[i];
    }
    array->rank += tile->rank;
    rearrange(&before, step, array);
    return true;
}

bool unfold_all(const tg_tiling *tiling, const tg_shape *shape, unfolded *out)
{
    unfold_begin(shape, out);
    for (int k = 0; k < tiling->count; k++)
        if (!unfold_by(&tiling->tiles[k], out)) return false;
    return true;
}

void unfold_transpose(const int *permutation, unfolded *array)
{
    static unfolded before;
    int64_t old[TG_INTEGERS_MAX], step[TG_INTEGERS_MAX];
    before = *array;
    steps_of(array, old);
    for (int i = 0; i < array->rank; i++) {
        step[i] = old[permutation[i]];
        array->extent[i] = before.extent[permutation[i]];
    }
    rearrange(&before, step, array);
}

/* ---- who holds what ---- */

static const tg_counted *part_of(const tg_partition *partition, int dim)
{
    for (int i = 0; i < partition->count; i++)
        if (partition->list[i].dim == dim) return &partition->list[i];
    return NULL;
}

/* The numbers, of warps or lanes, whose digits are those of a position; copies take all digits. */
static int numbers_of(const tg_partition *partition, const unfolded *array, const int64_t *at,
                      int *out)
{
    int count = 1;
    out[0] = 0;
    for (int i = 0; i < partition->count; i++) {
        const tg_counted *part = &partition->list[i];
        const int k = array->rank + part->dim;
        const int extent = (int)(part->dim ? array->extent[k] : part->times);
        int next[THREADS], made = 0;
        for (int n = 0; n < count; n++)
            for (int d = 0; d < extent; d++)
                if (!part->dim || at[k] == d) next[made++] = out[n] * extent + d;
        memcpy(out, next, (size_t)made * sizeof *next);
        count = made;
    }
    return count;
}

static int64_t register_of(const tg_tiled *tiled, const unfolded *array, const int64_t *at)
{
    int64_t index = 0;
    for (int i = 0; i < array->rank; i++) {
        const int dim = i - array->rank;
        if (dim == tiled->vector_dim || part_of(&tiled->warp, dim) || part_of(&tiled->lane, dim))
            continue;
        index = index * array->extent[i] + at[i];
    }
    return index;
}

bool holdings_of(const tg_tiled *tiled, const tg_shape *shape, holdings *out)
{
    static unfolded array;
    int64_t at[TG_INTEGERS_MAX], copies = 1;
    if (!unfold_all(&tiled->tiling, shape, &array)) return false;
    for (int i = 0; i < tiled->warp.count; i++)
        if (!tiled->warp.list[i].dim) copies *= tiled->warp.list[i].times;
    for (int i = 0; i < tiled->lane.count; i++)
        if (!tiled->lane.list[i].dim) copies *= tiled->lane.list[i].times;
    out->values = array.size * copies / THREADS;
    out->length = array.extent[array.rank + tiled->vector_dim];
    if (out->values * THREADS > MODEL_MOST) return false;
    memset(out->element, -1, sizeof out->element);
    for (int p = 0; p < array.size; p++) {
        int warps[THREADS], lanes[THREADS];
        digits_of(array.extent, array.rank, p, at);
        const int warp_count = numbers_of(&tiled->warp, &array, at, warps);
        const int lane_count = numbers_of(&tiled->lane, &array, at, lanes);
        const int64_t value =
            register_of(tiled, &array, at) * out->length + at[array.rank + tiled->vector_dim];
        for (int w = 0; w < warp_count; w++)
            for (int l = 0; l < lane_count; l++)
                out->element[(warps[w] * 32 + lanes[l]) * out->values + value] = array.element[p];
    }
    return true;
}

bool holdings_same(const holdings *a, const holdings *b)
{
    return a->values == b->values &&
           memcmp(a->element, b->element, (size_t)(THREADS * a->values) * sizeof *a->element) == 0;
}
