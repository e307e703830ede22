/* Groups by several shapes at once. */
#include <string.h>

#include "layout/canonical.h"
#include "layout/group.h"

/* Where dimensions begin, as numbers of elements that follow: a descending chain, each once, in which
 * each number divides the one before it. */
typedef struct chain {
    int count;
    int64_t step[TG_AXE_MAX_ITERS];
} chain;

/* False if the number does not fit in the chain.  A chain of divisors of a number that fits in 63 bits has
 * at most 63. */
static bool add(chain *c, int64_t step)
{
    int k = c->count;
    while (k > 0 && c->step[k - 1] < step) k--;
    if (k > 0 && c->step[k - 1] == step) return true;
    if (k > 0 && c->step[k - 1] % step != 0) return false;
    if (k < c->count && step % c->step[k] != 0) return false;
    memmove(&c->step[k + 1], &c->step[k], (size_t)(c->count - k) * sizeof *c->step);
    c->step[k] = step;
    c->count++;
    return true;
}

static tg_status add_shape(chain *c, const tg_shape *shape, int which, tg_diags *diags)
{
    int64_t step = 1;
    for (int i = shape->rank - 1; i >= 0; i--) {
        step *= shape->extent[i];
        if (!add(c, step))
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "the shapes have incompatible boundaries: %lld elements from dimension "
                           "%d of shape %d on neither divide, nor are divided by, those of another",
                           (long long)step, i, which);
    }
    return TG_OK;
}

/* Splits the iters where the chain says.  Each iter begins and ends at a number of the chain. */
static void split(const tg_iters *d, const chain *c, tg_iters *out)
{
    int64_t below = tg_iters_size(d);
    int at = 0;
    out->count = 0;
    for (int i = 0; i < d->count; i++) {
        tg_iter it = d->list[i];
        below /= it.extent;
        for (; it.extent > 1; at++) {
            const int64_t rest = (at + 1 < c->count ? c->step[at + 1] : 1) / below;
            tg_iters_put(out, it.extent / rest, it.stride * rest, it.axis);
            it.extent = rest;
        }
    }
}

static void find_blocks(const tg_iters *d, const tg_shape *shape, int *first)
{
    int next = 0;
    for (int dim = 0; dim < shape->rank; dim++) {
        int64_t left = shape->extent[dim];
        first[dim] = next;
        while (left > 1) left /= d->list[next++].extent;
    }
    first[shape->rank] = next;
}

tg_status tg_axe_group_many(const tg_axe *axe, const tg_shape *shapes, int count,
                            tg_refinement *out, tg_diags *diags)
{
    tg_iters fused;
    tg_groups groups;
    chain c = {.count = 0};
    int64_t below = 1;
    if (count > TG_GROUP_MAX_SHAPES)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "at most %d shapes group a layout at once",
                       TG_GROUP_MAX_SHAPES);
    tg_iters_copy(&axe->d, &fused);
    tg_iters_fuse(&fused);
    for (int i = fused.count - 1; i >= 0; i--) add(&c, below *= fused.list[i].extent);
    for (int s = 0; s < count; s++) {
        TG_TRY(tg_axe_group(axe, &shapes[s], &groups, diags));
        TG_TRY(add_shape(&c, &shapes[s], s, diags));
    }
    add(&c, 1);
    split(&fused, &c, &out->d);
    out->count = count;
    for (int s = 0; s < count; s++) find_blocks(&out->d, &shapes[s], out->first[s]);
    return TG_OK;
}
