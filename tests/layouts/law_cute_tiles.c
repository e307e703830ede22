/* CuTe's layouts: divisions and products. */
#include "layout/cute/complement.h"
#include "layout/cute/compose.h"
#include "layout/cute/divide.h"
#include "layout/cute/product.h"
#include "layouts/cute_model.h"
#include "layouts/law.h"

/* Whether there is no complement to a layout. */
static bool has_no_complement(const tg_cute *a)
{
    const cute_moving m = moving_modes(a);
    return any_negative(&m) || modes_overlap(&m);
}

static void random_tiler(chance *c, const tg_cute *a, tg_tiler *out)
{
    const int rank = cute_rank(a), modes = (int)pick(c, 1, rank);
    tg_cute_begin(&out->layout);
    out->kind[0] = TG_TILER_BY_MODE;
    const int tuple = tg_cute_open(&out->layout);
    for (int i = 0; i < modes; i++) {
        tg_cute mode, tile;
        cute_mode(a, i, &mode);
        if (one_in(c, 12))
            random_cute(c, &any_cute, &tile);
        else
            random_digits_of(c, &mode, &tile);
        const int at = out->layout.shape.count;
        if (one_in(c, 6)) {
            out->kind[at] = TG_TILER_NONE;
            tg_cute_put(&out->layout, 1, 0);
        } else {
            out->kind[at] = TG_TILER_LAYOUT;
            tg_cute_put_node(&out->layout, &tile, 0);
        }
    }
    tg_cute_close(&out->layout, tuple);
}

/* Complement and composition have laws of their own. */
static bool may_refuse_division(const tg_cute *a, const tg_cute *b)
{
    tg_cute plain = *a, rest, both;
    if (has_no_complement(b)) return true;
    if (tg_cute_complement(b, cute_size(a), &rest, NULL) != TG_OK) return false;
    tg_cute_begin(&both);
    const int tuple = tg_cute_open(&both);
    tg_cute_put_node(&both, b, 0);
    tg_cute_put_node(&both, &rest, 0);
    tg_cute_close(&both, tuple);
    plain.offset = 0;
    plain.swizzle.bits = 0;
    return may_refuse_composition(&plain, &both);
}

static bool may_refuse_product(const tg_cute *a, const tg_cute *b)
{
    tg_cute plain = *a, places;
    int64_t reach = 1;
    plain.offset = 0;
    plain.swizzle.bits = 0;
    if (has_no_complement(a)) return true;
    const cute_moving m = moving_modes(b);
    bool ups = false, downs = false;
    for (int i = 0; i < m.count; i++) {
        ups |= m.stride[i] > 0;
        downs |= m.stride[i] < 0;
    }
    for (int i = 0; i < m.count; i++)
        reach += (m.extent[i] - 1) * (m.stride[i] < 0 ? -m.stride[i] : m.stride[i]);
    if (tg_cute_complement(&plain, cute_size(a) * reach, &places, NULL) != TG_OK) return false;
    const cute_moving block = moving_modes(a);
    if (block.count && ups && downs) return true;
    if (!is_even(&block) && cute_size(&places) < reach) return true;
    return may_refuse_composition(&places, b);
}

/* Whether the same numbers occur, each as often. */
static bool same_bag(const cute_values *a, const cute_values *b)
{
    static bool used[MOST_VALUES];
    if (a->count != b->count) return false;
    for (int64_t i = 0; i < a->count; i++) used[i] = false;
    for (int64_t i = 0; i < a->count; i++) {
        int64_t k = 0;
        while (k < b->count && (used[k] || b->v[k] != a->v[i])) k++;
        if (k == b->count) return false;
        used[k] = true;
    }
    return true;
}

/* Mode 0 is A after B; all elements are there, if the tile divides A evenly. */
static bool is_division(const tg_cute *a, const tg_cute *b, const tg_cute *r)
{
    static cute_values all, got;
    tg_cute tile;
    if (cute_rank(r) != 2) return false;
    cute_mode(r, 0, &tile);
    tile.offset = a->offset;
    tile.swizzle = a->swizzle;
    if (!cute_refines(b, &tile)) return false;
    for (int64_t i = 0; i < cute_size(b); i++)
        if (cute_value(&tile, i) != cute_value(a, cute_value(b, i))) return false;
    const cute_moving m = moving_modes(b);
    if (cute_size(r) != cute_size(a) || !is_even(&m)) return true;
    return !values_of(a, &all) || !values_of(r, &got) || same_bag(&all, &got);
}

outcome law_cute_divide(chance *c, tg_axe *shown)
{
    tg_cute a, b, r;
    tg_tiler tiler;
    cute_wish w = any_cute;
    random_cute(c, &w, &a);
    w.negative = w.swizzle = false;
    show_cute(&a, shown);
    if (one_in(c, 8))
        random_cute(c, &w, &b);
    else
        random_digits_of(c, &a, &b);
    tg_tiler_of(&b, &tiler);
    if (tg_cute_divide(&a, &tiler, &r, NULL) != TG_OK)
        return may_refuse_division(&a, &b) ? REFUSED : BROKEN;
    if (tg_cute_check(&r, NULL) != TG_OK) return BROKEN;
    return is_division(&a, &b, &r) ? KEPT : BROKEN;
}

/* Element (t, u) of a zipped division, mode by mode, against the divisions of the modes. */
static bool modes_agree(const tg_cute *a, const tg_tiler *tiler, const tg_cute *zipped)
{
    tg_cute tiles, rests;
    const int rank = cute_rank(a), modes = cute_rank(&tiler->layout);
    int64_t tile_size = 1, rest_size = 1;
    cute_mode(zipped, 0, &tiles);
    cute_mode(zipped, 1, &rests);
    if (cute_rank(&tiles) != modes || cute_rank(&rests) != rank) return false;
    int at = 1;
    for (int i = 0; i < rank; i++, at += i <= modes ? tiler->layout.shape.node[at].span : 0) {
        tg_cute mode, b, tile, rest;
        cute_mode(a, i, &mode);
        cute_mode(&rests, i, &rest);
        if (i >= modes || tiler->kind[at] == TG_TILER_NONE) {
            for (int64_t k = 0; k < cute_size(&mode); k++)
                if (cute_value(&rest, k) != cute_value(&mode, k)) return false;
            rest_size *= cute_size(&rest);
            continue;
        }
        tg_cute_begin(&b);
        tg_cute_put_node(&b, &tiler->layout, at);
        cute_mode(&tiles, i, &tile);
        if (!cute_refines(&b, &tile)) return false;
        for (int64_t k = 0; k < cute_size(&b); k++)
            if (cute_value(&tile, k) != cute_value(&mode, cute_value(&b, k))) return false;
        tile_size *= cute_size(&tile);
        rest_size *= cute_size(&rest);
    }
    return tile_size == cute_size(&tiles) && rest_size == cute_size(&rests);
}

/* A composition mode by mode against the modes. */
static bool is_composed_by(const tg_cute *a, const tg_tiler *tiler, const tg_cute *r)
{
    const int modes = cute_rank(&tiler->layout);
    if (tg_cute_check(r, NULL) != TG_OK || cute_rank(r) != modes) return false;
    for (int i = 0, at = 1; i < modes; at += tiler->layout.shape.node[at].span, i++) {
        tg_cute mode, b, got;
        cute_mode(a, i, &mode);
        cute_mode(r, i, &got);
        tg_cute_begin(&b);
        tg_cute_put_node(&b, &tiler->layout, at);
        const bool stays = tiler->kind[at] == TG_TILER_NONE;
        const int64_t size = cute_size(stays ? &mode : &b);
        if (cute_size(&got) != size || (!stays && !cute_refines(&b, &got))) return false;
        for (int64_t k = 0; k < size; k++)
            if (cute_value(&got, k) != cute_value(&mode, stays ? k : cute_value(&b, k)))
                return false;
    }
    return true;
}

/* The same elements in the same order, whatever the nesting. */
static bool same_order(const tg_cute *a, const tg_cute *b)
{
    static cute_values x, y;
    if (!values_of(a, &x) || !values_of(b, &y)) return tg_cute_check(b, NULL) == TG_OK;
    for (int64_t i = 0; i < x.count; i++)
        if (x.count != y.count || x.v[i] != y.v[i]) return false;
    return true;
}

outcome law_cute_zipped(chance *c, tg_axe *shown)
{
    tg_cute a, plain, split, zipped, tiled, flat, composed;
    tg_tiler tiler;
    random_cute(c, &any_cute, &a);
    show_cute(&a, shown);
    random_tiler(c, &a, &tiler);
    if (tg_cute_divide(&a, &tiler, &split, NULL) != TG_OK) return REFUSED;
    if (tg_cute_zipped_divide(&a, &tiler, &zipped, NULL) != TG_OK ||
        tg_cute_tiled_divide(&a, &tiler, &tiled, NULL) != TG_OK ||
        tg_cute_flat_divide(&a, &tiler, &flat, NULL) != TG_OK)
        return BROKEN;
    const int rank = cute_rank(&a), modes = cute_rank(&tiler.layout);
    if (cute_rank(&split) != rank || cute_rank(&zipped) != 2 || cute_rank(&tiled) != 1 + rank ||
        cute_rank(&flat) != modes + rank)
        return BROKEN;
    if (cute_size(&split) != cute_size(&zipped)) return BROKEN;
    if (!same_order(&zipped, &tiled) || !same_order(&zipped, &flat)) return BROKEN;
    plain = zipped;
    plain.offset = 0;
    plain.swizzle.bits = 0;
    a.offset = 0;
    a.swizzle.bits = 0;
    if (tg_cute_compose_by(&a, &tiler, &composed, NULL) != TG_OK) return BROKEN;
    if (!is_composed_by(&a, &tiler, &composed)) return BROKEN;
    return modes_agree(&a, &tiler, &plain) ? KEPT : BROKEN;
}

/* Mode 1 is in the order of B, and no place is taken twice. */
static bool is_product(const tg_cute *a, const tg_cute *b, const tg_cute *r)
{
    static cute_values x, y, all;
    tg_cute block, grid;
    if (cute_rank(r) != 2) return false;
    cute_mode(r, 0, &block);
    cute_mode(r, 1, &grid);
    if (!tg_tuple_same(&block.shape, &a->shape) || !tg_tuple_same(&block.stride, &a->stride))
        return false;
    if (!cute_refines(b, &grid) || !values_of(b, &x) || !values_of(&grid, &y)) return false;
    for (int64_t i = 0; i < x.count; i++)
        for (int64_t k = 0; k < i; k++)
            if ((x.v[i] < x.v[k]) != (y.v[i] < y.v[k]) || (x.v[i] == x.v[k]) != (y.v[i] == y.v[k]))
                return false;
    if (!values_of(&block, &all) || !all_differ(all.v, all.count) || !all_differ(x.v, x.count))
        return true;
    return cute_size(r) > 512 || (values_of(r, &all) && all_differ(all.v, all.count));
}

outcome law_cute_product(chance *c, tg_axe *shown)
{
    tg_cute a, b, r, plain;
    tg_tiler tiler;
    cute_wish w = {.most_modes = 3, .most_size = 24, .zero = true, .swizzle = true, .spread = true};
    random_cute(c, &w, &a);
    w.swizzle = false;
    w.negative = one_in(c, 6);
    w.spread = !one_in(c, 3);
    random_cute(c, &w, &b);
    show_cute(&a, shown);
    tg_tiler_of(&b, &tiler);
    if (tg_cute_product(&a, &tiler, &r, NULL) != TG_OK)
        return may_refuse_product(&a, &b) ? REFUSED : BROKEN;
    if (tg_cute_check(&r, NULL) != TG_OK) return BROKEN;
    plain = r;
    plain.offset = 0;
    plain.swizzle.bits = 0;
    return is_product(&a, &b, &plain) ? KEPT : BROKEN;
}

/* Element (block, grid) of the product, at coordinates that are digits in each mode. */
static bool is_reassociated(const tg_cute *product, const tg_cute *a, const tg_cute *b,
                            const tg_cute *r, bool raked)
{
    const int ra = cute_rank(a), rb = cute_rank(b), rank = ra > rb ? ra : rb;
    const int64_t size_a = cute_size(a), size_b = cute_size(b);
    if (cute_rank(r) != rank || cute_size(r) != size_a * size_b) return false;
    for (int64_t i = 0; i < size_a * size_b; i++) {
        int64_t x = i % size_a, y = i / size_a, index = 0, below = 1;
        for (int k = 0; k < rank; k++) {
            tg_cute ma, mb;
            if (k < ra) cute_mode(a, k, &ma);
            if (k < rb) cute_mode(b, k, &mb);
            const int64_t ea = k < ra ? cute_size(&ma) : 1, eb = k < rb ? cute_size(&mb) : 1;
            index += (raked ? y % eb + x % ea * eb : x % ea + y % eb * ea) * below;
            below *= ea * eb;
            x /= ea;
            y /= eb;
        }
        if (cute_value(r, index) != cute_value(product, i)) return false;
    }
    return true;
}

outcome law_cute_blocked(chance *c, tg_axe *shown)
{
    tg_cute a, b, product, blocked, raked;
    tg_tiler tiler;
    cute_wish w = {.most_modes = 3, .most_size = 16, .zero = true, .swizzle = true, .spread = true};
    random_cute(c, &w, &a);
    w.swizzle = false;
    random_cute(c, &w, &b);
    show_cute(&a, shown);
    tg_tiler_of(&b, &tiler);
    const tg_status status = tg_cute_product(&a, &tiler, &product, NULL);
    if (tg_cute_blocked_product(&a, &b, &blocked, NULL) != status ||
        tg_cute_raked_product(&a, &b, &raked, NULL) != status)
        return BROKEN;
    if (status != TG_OK) return may_refuse_product(&a, &b) ? REFUSED : BROKEN;
    if (tg_cute_check(&blocked, NULL) != TG_OK || tg_cute_check(&raked, NULL) != TG_OK)
        return BROKEN;
    return is_reassociated(&product, &a, &b, &blocked, false) &&
                   is_reassociated(&product, &a, &b, &raked, true)
               ? KEPT
               : BROKEN;
}
