#include "layouts/regular.h"

#include <string.h>

static place sum_of(const place *a, const place *b, int64_t times)
{
    place sum;
    for (int i = 0; i < TG_AXIS_COUNT; i++) sum.at[i] = a->at[i] + times * b->at[i];
    return sum;
}

void displacements_of(const tg_axe *axe, place *out)
{
    static model m;
    tg_axe plain;
    tg_axe_copy(axe, &plain);
    plain.swizzle.bits = 0;
    plain.r.count = 0;
    model_of(&plain, &m);
    for (int64_t x = 0; x < m.size; x++) out[x] = sum_of(&m.list[x], &m.list[0], -1);
}

static int axes_of(const place *by)
{
    int axes = 0;
    for (int i = 0; i < TG_AXIS_COUNT; i++) axes += by->at[i] != 0;
    return axes;
}

/* Whether `count` elements, `step` apart, are those of one iter of `extent`, and of the rest. */
static bool ends_with(const place *by, int64_t count, int64_t step, int64_t extent)
{
    if (axes_of(&by[step]) > 1) return false;
    for (int64_t i = 0; i < count; i++) {
        const place sum = sum_of(&by[i / extent * extent * step], &by[step], i % extent);
        if (!place_same(&sum, &by[i * step])) return false;
    }
    return true;
}

static bool regular(const place *by, int64_t count, int64_t step)
{
    if (count == 1) return true;
    for (int64_t extent = 2; extent <= count; extent++)
        if (count % extent == 0 && ends_with(by, count, step, extent) &&
            regular(by, count / extent, step * extent))
            return true;
    return false;
}

bool is_regular(const place *by, int64_t count) { return regular(by, count, 1); }

bool is_regular_in(const place *by, int64_t count, const int64_t *extents, int rank)
{
    int64_t step = count;
    for (int64_t x = 0; x < count; x++) {
        place sum = {{0}};
        int64_t below = count, rest = x;
        for (int i = 0; i < rank; i++) {
            below /= extents[i];
            sum = sum_of(&sum, &by[rest / below * below], 1);
            rest %= below;
        }
        if (!place_same(&sum, &by[x])) return false;
    }
    for (int i = 0; i < rank; i++) {
        step /= extents[i];
        if (!regular(by, extents[i], step)) return false;
    }
    return true;
}

static int64_t divisor_of(chance *c, int64_t n)
{
    int64_t d = pick(c, 1, n);
    while (n % d) d--;
    return d;
}

/* From the extents of the iters, each whole, split, or joined with the one before. */
static void shape_by_iters(chance *c, const tg_iters *d, int most_rank, tg_shape *out)
{
    out->rank = 0;
    for (int i = 0; i < d->count; i++) {
        const int64_t extent = d->list[i].extent, inner = one_in(c, 3) ? divisor_of(c, extent) : 1;
        const int64_t parts[] = {extent / inner, inner};
        for (int k = 0; k < 2; k++) {
            if (parts[k] == 1 && !one_in(c, 8)) continue;
            if (out->rank && (out->rank == most_rank || one_in(c, 3)))
                out->extent[out->rank - 1] *= parts[k];
            else
                out->extent[out->rank++] = parts[k];
        }
    }
}

void shape_for(chance *c, const tg_iters *d, int64_t size, int most_rank, tg_shape *out)
{
    if (!one_in(c, 4)) {
        shape_by_iters(c, d, most_rank, out);
        if (out->rank || size == 1) return;
    }
    out->rank = (int)pick(c, 1, most_rank);
    for (int i = 0; i + 1 < out->rank; i++) size /= out->extent[i] = divisor_of(c, size);
    out->extent[out->rank - 1] = size;
}
