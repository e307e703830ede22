/* Which layouts are tiles and sums, and of what. */
#include <string.h>

#include "layout/canonical.h"
#include "layout/copies.h"
#include "layout/equal.h"
#include "layout/minkowski.h"
#include "layout/tile_of.h"
#include "layouts/law.h"
#include "layouts/regular.h"

static void random_part(chance *c, bool copies, tg_axe *axe, tg_shape *shape)
{
    wish w = any_layout;
    w.most_iters = 3;
    w.most_size = 12;
    w.most_copies = copies ? 2 : 0;
    random_layout(c, &w, axe);
    while (tg_iters_size(&axe->r) > 6) axe->r.count--;
    shape_for(c, &axe->d, tg_iters_size(&axe->d), 3, shape);
}

static void multiply(tg_shape *x, tg_shape *y, tg_shape *out)
{
    while (x->rank < y->rank) x->extent[x->rank++] = 1;
    while (y->rank < x->rank) y->extent[y->rank++] = 1;
    *out = *x;
    for (int i = 0; i < x->rank; i++) out->extent[i] *= y->extent[i];
}

static bool have_gaps(const tg_axe *axe)
{
    tg_axe canonical;
    tg_axe_copy(axe, &canonical);
    tg_axe_canonize(&canonical);
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (!tg_axe_has_gaps(&canonical, (tg_axis)a)) return false;
    return true;
}

/* What often makes another layout. */
static void change(chance *c, tg_axe *axe)
{
    switch (pick(c, 0, 3)) {
    case 0:
        if (axe->d.count && axe->d.list[0].stride > 0) axe->d.list[0].stride++;
        break;
    case 1: axe->offset[TG_AXIS_m] += pick(c, 1, 3); break;
    case 2:
        if (axe->r.count && axe->r.list[0].stride) axe->r.list[0].extent++;
        break;
    default: axe->swizzle.bits = 0; break;
    }
}

/* ---- without copies, by brute force ---- */

/* Index x of the whole as indices p of the outer, q of the inner shape. */
static void take_apart(const tg_shape *outer, const tg_shape *inner, int64_t x, int64_t *p,
                       int64_t *q)
{
    int64_t p_below = 1, q_below = 1;
    *p = *q = 0;
    for (int i = outer->rank - 1; i >= 0; i--) {
        const int64_t at = x % (outer->extent[i] * inner->extent[i]);
        *p += at / inner->extent[i] * p_below;
        *q += at % inner->extent[i] * q_below;
        x /= outer->extent[i] * inner->extent[i];
        p_below *= outer->extent[i];
        q_below *= inner->extent[i];
    }
}

static place all_of[MODEL_MOST], known_of[MODEL_MOST], sought[MODEL_MOST];

/* Whether some D of the other shape gives the displacements of the whole, with those of the inner layout:
 * outer * scale + inner.  Then `sought` has the outer ones. */
static bool has_outer_d(const tg_axe *whole, const tg_axe *inner, const tg_shape *outer_shape,
                        const tg_shape *inner_shape, const int64_t *scale)
{
    const int64_t size = tg_iters_size(&whole->d);
    int64_t p, q;
    displacements_of(whole, all_of);
    displacements_of(inner, known_of);
    if (!is_regular_in(known_of, tg_iters_size(&inner->d), inner_shape->extent, inner_shape->rank))
        return false;
    for (int64_t x = 0; x < size; x++) { /* the whole is a sum */
        take_apart(outer_shape, inner_shape, x, &p, &q);
        for (int a = 0; q == 0 && a < TG_AXIS_COUNT; a++) {
            if (all_of[x].at[a] % scale[a]) return false;
            sought[p].at[a] = all_of[x].at[a] / scale[a];
        }
    }
    for (int64_t x = 0; x < size; x++) {
        take_apart(outer_shape, inner_shape, x, &p, &q);
        for (int a = 0; a < TG_AXIS_COUNT; a++)
            if (all_of[x].at[a] != sought[p].at[a] * scale[a] + known_of[q].at[a]) return false;
    }
    return is_regular_in(sought, size / tg_iters_size(&inner->d), outer_shape->extent,
                         outer_shape->rank);
}

static bool has_outer(const tg_axe *whole, const tg_axe *inner, const tg_shape *outer_shape,
                      const tg_shape *inner_shape, tg_joined how)
{
    int64_t scale[TG_AXIS_COUNT];
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        scale[a] = how == TG_JOINED_TILE ? tg_axe_span(inner, (tg_axis)a) : 1;
        if ((whole->offset[a] - inner->offset[a]) % scale[a]) return false;
    }
    return tg_swizzle_same(&whole->swizzle, &inner->swizzle) &&
           has_outer_d(whole, inner, outer_shape, inner_shape, scale);
}

/* ---- the laws ---- */

/* The parts again, and whether tiling them gives the whole. */
static bool joins(const tg_shaped *outer, const tg_shaped *inner, tg_joined how,
                  const tg_axe *whole)
{
    tg_axe again;
    bool same;
    if (tg_axe_check(outer->axe, NULL) != TG_OK || tg_axe_check(inner->axe, NULL) != TG_OK)
        return false;
    return (how == TG_JOINED_SUM ? tg_axe_sum : tg_axe_tile)(outer, inner, &again, NULL) == TG_OK &&
           tg_axe_equal(&again, whole, &same, NULL) == TG_OK && same;
}

outcome law_outer_of(chance *c, tg_axe *shown)
{
    tg_axe outer, inner, found;
    tg_shape outer_shape, inner_shape, shape;
    const bool copies = one_in(c, 2);
    const tg_joined how = one_in(c, 3) ? TG_JOINED_SUM : TG_JOINED_TILE;
    random_part(c, copies, &outer, &outer_shape);
    random_part(c, copies, &inner, &inner_shape);
    outer.swizzle.bits = 0;
    multiply(&outer_shape, &inner_shape, &shape);
    const tg_shaped x = {&outer, &outer_shape}, y = {&inner, &inner_shape};
    if ((how == TG_JOINED_SUM ? tg_axe_sum : tg_axe_tile)(&x, &y, shown, NULL) != TG_OK)
        return REFUSED;
    const bool changed = one_in(c, 2);
    if (changed) change(c, shown);
    if (tg_axe_check(shown, NULL) != TG_OK) return KEPT;
    const tg_shaped whole = {shown, &shape}, z = {&found, &outer_shape};
    const tg_status status = tg_axe_outer_of(&whole, &y, how, &found, NULL);
    if (!copies && (status == TG_OK) != has_outer(shown, &inner, &outer_shape, &inner_shape, how))
        return BROKEN;
    if (status == TG_OK) return joins(&z, &y, how, shown) ? KEPT : BROKEN;
    if (status != TG_ERR_UNSUPPORTED) return BROKEN;
    return changed || !have_gaps(shown) || !have_gaps(&inner) ? REFUSED : BROKEN;
}

outcome law_inner_of(chance *c, tg_axe *shown)
{
    tg_axe outer, inner, found;
    tg_shape outer_shape, inner_shape, shape;
    const tg_joined how = one_in(c, 3) ? TG_JOINED_SUM : TG_JOINED_TILE;
    random_part(c, true, &outer, &outer_shape);
    random_part(c, true, &inner, &inner_shape);
    if (!one_in(c, 8)) outer.swizzle.bits = 0;
    multiply(&outer_shape, &inner_shape, &shape);
    const tg_shaped x = {&outer, &outer_shape}, y = {&inner, &inner_shape};
    if ((how == TG_JOINED_SUM ? tg_axe_sum : tg_axe_tile)(&x, &y, shown, NULL) != TG_OK)
        return REFUSED;
    const bool changed = one_in(c, 2);
    if (changed) change(c, shown);
    if (tg_axe_check(shown, NULL) != TG_OK) return KEPT;
    const tg_shaped whole = {shown, &shape}, z = {&found, &inner_shape};
    const tg_status status = tg_axe_inner_of(&whole, &x, how, &found, NULL);
    if (status == TG_OK) return joins(&x, &z, how, shown) ? KEPT : BROKEN;
    if (status != TG_ERR_UNSUPPORTED) return BROKEN;
    return changed || !have_gaps(shown) || !have_gaps(&outer) ? REFUSED : BROKEN;
}

/* A set that iters generate is generated. */
outcome law_copies_of(chance *c, tg_axe *shown)
{
    tg_axe again;
    tg_copies set, generated;
    wish w = {.most_iters = 0, .most_copies = 3, .most_extent = 6, .most_size = 1, .only_m = true};
    random_layout(c, &w, shown);
    tg_axe_begin(&again);
    if (tg_copies_on(shown, TG_AXIS_m, &set, NULL) != TG_OK) return BROKEN;
    const bool found = tg_copies_generate(&set, TG_AXIS_m, &again.r);
    if (tg_copies_on(&again, TG_AXIS_m, &generated, NULL) != TG_OK) return BROKEN;
    const bool same = tg_copies_same(&set, &generated);
    tg_copies_free(&set);
    tg_copies_free(&generated);
    if (found) return same ? KEPT : BROKEN;
    return have_gaps(shown) ? BROKEN : REFUSED;
}
