/* CuTe's layouts: complement, inverses. */
#include "layout/cute/complement.h"
#include "layout/cute/inverse.h"
#include "layouts/cute_model.h"
#include "layouts/law.h"

static int64_t most_of(const cute_values *v)
{
    int64_t most = v->v[0];
    for (int64_t i = 1; i < v->count; i++)
        if (v->v[i] > most) most = v->v[i];
    return most;
}

static bool has(const cute_values *v, int64_t y)
{
    for (int64_t i = 0; i < v->count; i++)
        if (v->v[i] == y) return true;
    return false;
}

/* ---- complement ---- */

/* CUTLASS bounds the complement by the target, rounded up to a multiple of the cosize of the layout: but of
 * (5,2):(1,15) up to 31 it is (3,2):(5,30), with cosize 41.  What the last mode ends at, `end`, is what it is
 * a multiple of.  The target is reached if gaps are filled evenly: of (7,5):(1,13) up to 60 it is 1:0, and the
 * cosize of both is 59. */
static bool is_complement(const cute_values *l, const cute_values *r, int64_t target, int64_t end,
                          bool even)
{
    static int64_t sums[MOST_VALUES];
    const int64_t both = most_of(l) + most_of(r) + 1, room = (target + end - 1) / end * end;
    if (most_of(r) >= room || (even && both < target)) return false;
    for (int64_t i = 1; i < r->count; i++)
        if (r->v[i - 1] >= r->v[i] || has(l, r->v[i])) return false;
    if (r->v[0] != 0 || l->count * r->count > 512 || !all_differ(l->v, l->count))
        return r->v[0] == 0;
    for (int64_t i = 0; i < l->count * r->count; i++)
        sums[i] = l->v[i % l->count] + r->v[i / l->count];
    if (even && both != l->count * r->count) return false; /* each index once */
    return all_differ(sums, l->count * r->count);
}

outcome law_cute_complement(chance *c, tg_axe *shown)
{
    static cute_values l, r;
    tg_cute a, out, again;
    cute_wish w = any_cute;
    w.swizzle = false;
    w.most_size = 48;
    w.spread = !one_in(c, 4);
    w.negative = one_in(c, 4);
    random_cute(c, &w, &a);
    show_cute(&a, shown);
    const int64_t target = one_in(c, 3) ? pick(c, 1, 20) : pick(c, 1, 600);
    const cute_moving m = moving_modes(&a);
    int64_t end = 1;
    for (int i = 0; i < m.count; i++)
        if (m.extent[i] * m.stride[i] > end) end = m.extent[i] * m.stride[i];
    if (tg_cute_complement(&a, target, &out, NULL) != TG_OK)
        return any_negative(&m) || modes_overlap(&m) ? REFUSED : BROKEN;
    if (any_negative(&m) || modes_overlap(&m)) return BROKEN;
    if (!values_of(&a, &l) || !values_of(&out, &r)) return BROKEN;
    if (!is_complement(&l, &r, target, end, is_even(&m))) return BROKEN;
    if (!is_even(&m)) return KEPT;
    /* The complement of the complement, up to what the layout takes, has the same complement. */
    if (tg_cute_complement(&out, most_of(&l) + 1, &again, NULL) != TG_OK) return BROKEN;
    if (tg_cute_complement(&again, target, &again, NULL) != TG_OK) return BROKEN;
    return tg_tuple_same(&again.shape, &out.shape) && tg_tuple_same(&again.stride, &out.stride)
               ? KEPT
               : BROKEN;
}

/* ---- inverses ---- */

outcome law_cute_right(chance *c, tg_axe *shown)
{
    static cute_values l;
    tg_cute a, r;
    cute_wish w = any_cute;
    w.spread = !one_in(c, 3);
    random_cute(c, &w, &a);
    show_cute(&a, shown);
    if (tg_cute_right_inverse(&a, &r, NULL) != TG_OK)
        return a.offset || a.swizzle.bits ? REFUSED : BROKEN;
    if (!values_of(&a, &l) || tg_cute_check(&r, NULL) != TG_OK) return BROKEN;
    const int64_t size = cute_size(&r);
    for (int64_t i = 0; i < size; i++) {
        const int64_t x = cute_value(&r, i);
        if (x < 0 || x >= l.count || l.v[x] != i) return BROKEN;
    }
    const cute_moving m = moving_modes(&a);
    if (a.swizzle.bits || any_negative(&m) || modes_overlap(&m)) return KEPT;
    return has(&l, size) ? BROKEN : KEPT;
}

static bool divides_up(const cute_moving *m)
{
    for (int i = 0; i < m->count; i++)
        for (int k = 0; k < m->count; k++)
            if (m->stride[i] % m->stride[k] != 0 && m->stride[k] % m->stride[i] != 0) return false;
    return true;
}

static bool may_refuse_left(const tg_cute *a)
{
    cute_moving m = moving_modes(a);
    int negative = 0;
    for (int i = 0; i < m.count; i++)
        if (m.stride[i] < 0) {
            negative++;
            m.stride[i] = -m.stride[i];
        }
    return (negative && negative < m.count) || !divides_up(&m) || modes_overlap(&m);
}

outcome law_cute_left(chance *c, tg_axe *shown)
{
    static cute_values l;
    tg_cute a, r;
    cute_wish w = any_cute;
    w.spread = !one_in(c, 4);
    w.negative = one_in(c, 4);
    random_cute(c, &w, &a);
    if (one_in(c, 8)) /* all negative */
        for (int i = 0; i < a.stride.count; i++) a.stride.node[i].value *= -1;
    show_cute(&a, shown);
    if (tg_cute_left_inverse(&a, &r, NULL) != TG_OK)
        return a.offset || a.swizzle.bits || may_refuse_left(&a) ? REFUSED : BROKEN;
    if (!values_of(&a, &l) || tg_cute_check(&r, NULL) != TG_OK) return BROKEN;
    const bool injective = all_differ(l.v, l.count);
    for (int64_t x = 0; x < l.count; x++) {
        const int64_t i = cute_value(&r, l.v[x]);
        if (injective ? i != x : cute_value(&a, i) != l.v[x]) return BROKEN;
    }
    return KEPT;
}
