/* CuTe's layouts: text, map, coalesce, composition. */
#include <stdlib.h>
#include <string.h>

#include "layout/cute/coalesce.h"
#include "layout/cute/compose.h"
#include "layout/cute/filter.h"
#include "layout/cute/text.h"
#include "layouts/cute_model.h"
#include "layouts/law.h"

static bool same_values(const tg_cute *a, const tg_cute *b)
{
    const int64_t size = cute_size(a);
    if (cute_size(b) != size || tg_cute_check(b, NULL) != TG_OK) return false;
    for (int64_t i = 0; i < size; i++)
        if (cute_value(a, i) != cute_value(b, i)) return false;
    return true;
}

outcome law_cute_text(chance *c, tg_axe *shown)
{
    tg_cute a, got;
    tg_text text = {0};
    random_cute(c, &any_cute, &a);
    if (one_in(c, 8)) a.stride.node[a.stride.count - 1].value = pick(c, -(1LL << 54), 1LL << 54);
    show_cute(&a, shown);
    tg_cute_print(&a, &text);
    char *printed = tg_text_finish(&text);
    const bool same = printed && tg_cute_read(printed, strlen(printed), &got, NULL) == TG_OK &&
                      tg_tuple_same(&a.shape, &got.shape) &&
                      tg_tuple_same(&a.stride, &got.stride) && a.offset == got.offset &&
                      tg_swizzle_same(&a.swizzle, &got.swizzle);
    free(printed);
    return same ? KEPT : BROKEN;
}

/* The column-major index of a coordinate like the shape. */
static int64_t index_of(const tg_tuple *shape, const tg_tuple *coordinate)
{
    int64_t index = 0, below = 1;
    for (int i = 0; i < shape->count; i++) {
        if (shape->node[i].span != 1) continue;
        index += coordinate->node[i].value * below;
        below *= shape->node[i].value;
    }
    return index;
}

outcome law_cute_map(chance *c, tg_axe *shown)
{
    tg_cute a;
    int64_t most = 0, value;
    random_cute(c, &any_cute, &a);
    show_cute(&a, shown);
    const int64_t size = cute_size(&a), beyond = pick(c, -300, 300);
    for (int64_t i = 0; i < size; i++) {
        tg_tuple index, coordinate;
        tg_tuple_begin(&index);
        tg_tuple_put(&index, i);
        if (tg_cute_coordinate(&a.shape, &index, &coordinate, NULL) != TG_OK ||
            index_of(&a.shape, &coordinate) != i)
            return BROKEN;
        if (tg_cute_map(&a, i) != cute_value(&a, i)) return BROKEN;
        if (tg_cute_map_at(&a, &coordinate, &value, NULL) != TG_OK || value != cute_value(&a, i))
            return BROKEN;
    }
    if (!tg_cute_map_beyond(&a, beyond, &value) || value != cute_value(&a, beyond)) return BROKEN;
    for (int i = 0; i < a.shape.count;
         i++) /* the cosize is reached with all digits at their ends */
        if (a.shape.node[i].span == 1)
            most += (a.shape.node[i].value - 1) * llabs(a.stride.node[i].value);
    return tg_cute_size(&a) == size && tg_cute_cosize(&a) == most + 1 ? KEPT : BROKEN;
}

/* No two neighbours are one mode, and there is no tuple in a tuple. */
static bool is_coalesced(const tg_cute *a)
{
    const int first = a->shape.node[0].span == 1 ? 0 : 1, count = a->shape.count;
    if (first && count < 3) return false;
    for (int i = first; i < count; i++) {
        const int64_t extent = a->shape.node[i].value, stride = a->stride.node[i].value;
        if (a->shape.node[i].span != 1) return false;
        if (first ? extent == 1 : extent == 1 && stride != 0) return false;
        if (i + 1 < count && a->stride.node[i + 1].value == extent * stride) return false;
    }
    return true;
}

outcome law_cute_coalesce(chance *c, tg_axe *shown)
{
    tg_cute a, r;
    tg_tuple profile;
    random_cute(c, &any_cute, &a);
    show_cute(&a, shown);
    tg_cute_coalesce(&a, &r);
    if (!same_values(&a, &r) || !is_coalesced(&r)) return BROKEN;
    const int rank = cute_rank(&a), modes = (int)pick(c, 1, one_in(c, 8) ? rank + 1 : rank);
    tg_tuple_begin(&profile);
    const int tuple = tg_tuple_open(&profile);
    for (int i = 0; i < modes; i++) tg_tuple_put(&profile, 1);
    tg_tuple_close(&profile, tuple);
    const tg_status status = tg_cute_coalesce_by(&a, &profile, &r, NULL);
    if (modes > rank) return status == TG_ERR_INVALID ? REFUSED : BROKEN;
    if (status != TG_OK || !same_values(&a, &r) || cute_rank(&r) != rank) return BROKEN;
    for (int i = 0; i < modes; i++) {
        tg_cute before, after;
        cute_mode(&a, i, &before);
        cute_mode(&r, i, &after);
        if (!same_values(&before, &after) || !is_coalesced(&after)) return BROKEN;
    }
    return KEPT;
}

outcome law_cute_filter(chance *c, tg_axe *shown)
{
    tg_cute a, r, n;
    int64_t moving = 1, last = -1;
    cute_wish w = any_cute;
    w.spread = one_in(c, 2);
    random_cute(c, &w, &a);
    show_cute(&a, shown);
    for (int i = 0; i < a.shape.count; i++)
        if (a.shape.node[i].span == 1 && a.stride.node[i].value) moving *= a.shape.node[i].value;
    tg_cute_filter(&a, &r);
    tg_cute_nullspace(&a, &n);
    if (!is_coalesced(&r) || cute_size(&r) != moving || tg_cute_check(&n, NULL) != TG_OK)
        return BROKEN;
    if (cute_size(&n) * moving != cute_size(&a)) return BROKEN;
    for (int64_t i = 0; i < cute_size(&n); i++) { /* ascending, and where element 0 is */
        const int64_t x = cute_value(&n, i);
        if (x <= last || x >= cute_size(&a) || cute_value(&a, x) != cute_value(&a, 0))
            return BROKEN;
        last = x;
    }
    int64_t found = 0; /* the elements with digits of 0 where the stride is 0, in order */
    for (int64_t x = 0; x < cute_size(&a); x++) {
        int64_t below = 1;
        bool is_first = true;
        for (int i = 0; i < a.shape.count; i++) {
            if (a.shape.node[i].span != 1) continue;
            is_first &= a.stride.node[i].value || x / below % a.shape.node[i].value == 0;
            below *= a.shape.node[i].value;
        }
        if (is_first && cute_value(&r, found++) != cute_value(&a, x)) return BROKEN;
    }
    return found == moving ? KEPT : BROKEN;
}

/* ---- composition ---- */

static bool is_composition(const tg_cute *a, const tg_cute *b, const tg_cute *r)
{
    if (!cute_refines(b, r) || tg_cute_check(r, NULL) != TG_OK) return false;
    for (int64_t i = 0; i < cute_size(b); i++)
        if (cute_value(r, i) != cute_value(a, cute_value(b, i))) return false;
    return true;
}

outcome law_cute_compose(chance *c, tg_axe *shown)
{
    tg_cute a, b, r;
    cute_wish w = any_cute;
    random_cute(c, &w, &a);
    w.swizzle = false;
    w.most_size = 48;
    if (one_in(c, 3))
        random_cute(c, &w, &b);
    else
        random_digits_of(c, &a, &b);
    show_cute(&a, shown);
    if (tg_cute_compose(&a, &b, &r, NULL) == TG_OK)
        return is_composition(&a, &b, &r) ? KEPT : BROKEN;
    tg_cute plain = a;
    plain.offset = 0;
    plain.swizzle.bits = 0;
    return may_refuse_composition(&plain, &b) ? REFUSED : BROKEN;
}

/* Powers of two, so that swizzles may pass. */
outcome law_cute_swizzle(chance *c, tg_axe *shown)
{
    tg_cute a, b, r;
    int64_t extents[6], places[6], strides[6], below = 1;
    int order[6], count = (int)pick(c, 2, 6);
    for (int i = 0; i < count; i++) {
        extents[i] = one_in(c, 2) ? 2 : 4;
        places[i] = below;
        below *= extents[i];
        order[i] = i;
    }
    for (int i = count - 1; i > 0; i--) {
        const int k = (int)pick(c, 0, i), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
    below = 1;
    for (int i = 0; i < count; i++) {
        strides[order[i]] = below;
        below *= extents[order[i]];
    }
    nest_modes(c, count, extents, one_in(c, 3) ? places : strides, &a);
    nest_modes(c, count, extents, places, &b);
    const int bits = (int)pick(c, 1, 2), shift = (int)pick(c, bits, 4);
    b.swizzle = (tg_swizzle){bits, (int)pick(c, 0, 2), one_in(c, 2) ? shift : -shift, TG_AXIS_m};
    if (one_in(c, 3)) a.swizzle = b.swizzle;
    show_cute(&a, shown);
    if (tg_cute_compose(&a, &b, &r, NULL) != TG_OK) return REFUSED;
    return is_composition(&a, &b, &r) ? KEPT : BROKEN;
}
