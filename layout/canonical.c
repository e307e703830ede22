#include "layout/canonical.h"

/* Whether `before`, then `it`, are the digits of one iter.  Of two iters without an axis they are. */
static bool fuses(const tg_iter *before, const tg_iter *it)
{
    int64_t step;
    return before->axis == it->axis && !__builtin_mul_overflow(it->extent, it->stride, &step) &&
           before->stride == step;
}

void tg_iters_fuse(tg_iters *d)
{
    int count = 0;
    for (int i = 0; i < d->count; i++) {
        const tg_iter it = d->list[i];
        if (it.extent == 1) continue;
        if (count && fuses(&d->list[count - 1], &it))
            d->list[count - 1] =
                (tg_iter){d->list[count - 1].extent * it.extent, it.stride, it.axis};
        else
            d->list[count++] = it;
    }
    d->count = count;
}

/* Copies that coincide are dropped; a copy at d * -s is one at (e - 1 - d) * s, further down. */
static void make_positive(tg_axe *axe)
{
    tg_iters *r = &axe->r;
    int count = 0;
    for (int i = 0; i < r->count; i++) {
        tg_iter it = r->list[i];
        if (it.extent == 1 || it.stride == 0) continue;
        if (it.stride < 0) {
            axe->offset[it.axis] += (it.extent - 1) * it.stride;
            it.stride = -it.stride;
        }
        r->list[count++] = it;
    }
    r->count = count;
}

static bool comes_before(const tg_iter *a, const tg_iter *b)
{
    if (a->axis != b->axis) return a->axis < b->axis;
    if (a->stride != b->stride) return a->stride < b->stride;
    return a->extent < b->extent;
}

static void sort(tg_iters *r)
{
    for (int i = 1; i < r->count; i++) {
        const tg_iter it = r->list[i];
        int k = i;
        for (; k > 0 && comes_before(&it, &r->list[k - 1]); k--) r->list[k] = r->list[k - 1];
        r->list[k] = it;
    }
}

/* Steps of q * s, 1 <= q <= e, after e steps of s leave no hole: {0, s, .., (e - 1 + q (f - 1)) s}. */
static bool absorb(tg_iter *it, const tg_iter *other)
{
    if (other->axis != it->axis || other->stride % it->stride != 0) return false;
    const int64_t q = other->stride / it->stride;
    if (q < 1 || q > it->extent) return false;
    it->extent += q * (other->extent - 1);
    return true;
}

static void remove_at(tg_iters *iters, int at)
{
    iters->count--;
    for (int i = at; i < iters->count; i++) iters->list[i] = iters->list[i + 1];
}

/* An iter that has grown may absorb what it could not before. */
static void saturate(tg_iters *r)
{
    for (int i = 0; i < r->count; i++)
        for (int k = i + 1; k < r->count;) {
            if (absorb(&r->list[i], &r->list[k])) {
                remove_at(r, k);
                k = i + 1;
            } else {
                k++;
            }
        }
}

void tg_axe_canonize(tg_axe *axe)
{
    tg_iters_fuse(&axe->d);
    make_positive(axe);
    sort(&axe->r);
    saturate(&axe->r);
}

bool tg_axe_has_gaps(const tg_axe *canonical, tg_axis axis)
{
    const tg_iter *before = NULL;
    for (int i = 0; i < canonical->r.count; i++) {
        const tg_iter *it = &canonical->r.list[i];
        if (it->axis != axis) continue;
        if (before && before->extent * before->stride >= it->stride) return false;
        before = it;
    }
    return true;
}
