/* Conversions between Axe and CuTe. */
#include "layout/cute/convert.h"
#include "layouts/cute_model.h"
#include "layouts/law.h"

enum { MOST_RANK = 8, MOST_DIMENSIONS = 4 };

static model m, n;

/* A shape of the size, whose dimensions are often made of whole extents. */
static void random_shape(chance *c, const tg_iters *d, tg_shape *out)
{
    int64_t left = 1;
    out->rank = 0;
    for (int i = 0; i < d->count; i++) {
        left *= d->list[i].extent;
        if (out->rank < MOST_DIMENSIONS - 1 && one_in(c, 2)) {
            out->extent[out->rank++] = left;
            left = 1;
        } else if (out->rank < MOST_DIMENSIONS - 2 && left % 2 == 0 && one_in(c, 6)) {
            out->extent[out->rank++] = 2;
            left /= 2;
        }
    }
    if (left > 1 || out->rank == 0 || one_in(c, 6)) out->extent[out->rank++] = left;
}

/* The coordinate of a row-major index has this column-major index. */
static int64_t column_major(const tg_shape *shape, int64_t x)
{
    int64_t digit[MOST_RANK], index = 0;
    for (int i = shape->rank - 1; i >= 0; i--) {
        digit[i] = x % shape->extent[i];
        x /= shape->extent[i];
    }
    for (int i = shape->rank - 1; i >= 0; i--) index = index * shape->extent[i] + digit[i];
    return index;
}

/* Whether a map of elements, without its value at 0, adds up from layouts of each dimension.  `row` says in
 * which order v is. */
static bool adds_up(const int64_t *v, const tg_shape *shape, bool row)
{
    int64_t size = 1, strides[MOST_RANK], moved[MODEL_MOST];
    for (int k = 0; k < shape->rank; k++) {
        const int i = row ? shape->rank - 1 - k : k;
        strides[i] = size;
        size *= shape->extent[i];
    }
    for (int64_t x = 0; x < size; x++) {
        int64_t sum = 0;
        for (int i = 0; i < shape->rank; i++)
            sum += v[x / strides[i] % shape->extent[i] * strides[i]] - v[0];
        if (sum != v[x] - v[0]) return false;
    }
    for (int i = 0; i < shape->rank; i++) {
        for (int64_t k = 0; k < shape->extent[i]; k++) moved[k] = v[k * strides[i]] - v[0];
        if (!is_some_layout(moved, shape->extent[i], 1)) return false;
    }
    return true;
}

static bool rank_agrees(const tg_cute *r, const tg_shape *shape)
{
    tg_cute mode;
    if (shape->rank < 2) return true;
    for (int i = 0; i < shape->rank; i++) {
        cute_mode(r, i, &mode);
        if (cute_size(&mode) != shape->extent[i]) return false;
    }
    return cute_rank(r) == shape->rank;
}

outcome law_cute_from_axe(chance *c, tg_axe *shown)
{
    static int64_t v[MODEL_MOST];
    tg_cute r;
    tg_shape shape;
    wish w = any_layout;
    w.only_m = !one_in(c, 8);
    w.most_copies = one_in(c, 8) ? 2 : 0;
    random_layout(c, &w, shown);
    random_shape(c, &shown->d, &shape);
    tg_axe plain = *shown;
    plain.swizzle.bits = 0;
    model_of(&plain, &n);
    model_of(shown, &m);
    if (tg_cute_from_axe(shown, &shape, &r, NULL) != TG_OK) {
        if (!w.only_m || shown->r.count) return REFUSED;
        for (int64_t x = 0; x < m.size; x++) v[x] = n.list[x].at[TG_AXIS_m];
        return adds_up(v, &shape, true) ? BROKEN : REFUSED;
    }
    if (shown->r.count || tg_cute_check(&r, NULL) != TG_OK || !rank_agrees(&r, &shape))
        return BROKEN;
    for (int64_t x = 0; x < m.size; x++) {
        int64_t sum = 0;
        for (int a = 0; a < TG_AXIS_COUNT; a++) sum += m.list[x].at[a]; /* on one axis at most */
        if (cute_value(&r, column_major(&shape, x)) != sum) return BROKEN;
    }
    return cute_size(&r) == m.size ? KEPT : BROKEN;
}

outcome law_cute_to_axe(chance *c, tg_axe *shown)
{
    static int64_t v[CUTE_MOST];
    tg_cute a;
    tg_axe r, shapes;
    tg_shape shape, reversed;
    random_cute(c, &any_cute, &a);
    show_cute(&a, shown);
    show_cute(&a, &shapes);
    random_shape(c, &shapes.d, &reversed);
    shape.rank = reversed.rank;
    for (int i = 0; i < shape.rank; i++) shape.extent[i] = reversed.extent[shape.rank - 1 - i];
    if (tg_cute_to_axe(&a, &shape, TG_AXIS_byte, &r, NULL) != TG_OK) {
        a.swizzle.bits = 0;
        for (int64_t i = 0; i < cute_size(&a); i++) v[i] = cute_value(&a, i);
        return adds_up(v, &shape, false) ? BROKEN : REFUSED;
    }
    if (tg_axe_check(&r, NULL) != TG_OK) return BROKEN;
    model_of(&r, &m);
    if (m.size != cute_size(&a)) return BROKEN;
    for (int64_t x = 0; x < m.size; x++)
        if (m.list[x].at[TG_AXIS_byte] != cute_value(&a, column_major(&shape, x))) return BROKEN;
    return KEPT;
}

/* ---- threads and values ---- */

static const tg_axis holders[] = {TG_AXIS_lane, TG_AXIS_warp, TG_AXIS_reg};

/* Digits of elements, and copies, in random order on lanes, warps and registers. */
static void random_holders(chance *c, tg_axe *out)
{
    int64_t extents[8], next[TG_AXIS_COUNT];
    int order[8], count = random_extents(c, 6, 6, 64, extents);
    bool copy[8];
    tg_iter it[8];
    for (int a = 0; a < TG_AXIS_COUNT; a++) next[a] = 1;
    for (int i = 0; i < count; i++) order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        const int k = (int)pick(c, 0, i), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
    for (int i = 0; i < count; i++) {
        const int k = order[i];
        const tg_axis axis = holders[pick(c, 0, one_in(c, 2) ? 2 : 1)];
        copy[k] = one_in(c, 5);
        it[k] = (tg_iter){extents[k], next[axis], axis};
        next[axis] *= extents[k];
        if (one_in(c, 60)) next[axis] += pick(c, 1, 3);
    }
    tg_axe_begin(out);
    for (int i = 0; i < count; i++)
        tg_iters_put(copy[i] ? &out->r : &out->d, it[i].extent, it[i].stride, it[i].axis);
    if (one_in(c, 40)) out->offset[TG_AXIS_lane] = 1;
}

/* What (thread, value) i of a TV layout is in Axe: digits of the axes, the first the fastest. */
static bool place_of_index(const tg_cute *tv, const tg_cute_axes *axes, int64_t i, place *out)
{
    tg_cute threads, part, values;
    cute_mode(tv, 0, &threads);
    cute_mode(tv, 1, &values);
    *out = (place){{0}};
    if (axes->count > 1 && cute_rank(&threads) != axes->count) return false;
    for (int k = 0; k < axes->count; k++) {
        part = threads;
        if (axes->count > 1) cute_mode(&threads, k, &part);
        out->at[axes->thread[k]] = i % cute_size(&part);
        i /= cute_size(&part);
    }
    if (axes->count == 0 && cute_size(&threads) != 1) return false;
    if (i < cute_size(&values)) out->at[axes->value] = i;
    return i < cute_size(&values);
}

/* Whether the (thread, value)s are the places of the model, each of its element. */
static bool same_holders(const tg_cute *tv, const tg_cute_axes *axes, const tg_shape *shape,
                         const model *axe)
{
    int64_t rows[MODEL_MOST];
    const int64_t size = cute_size(tv);
    if (cute_rank(tv) != 2 || size != axe->start[axe->size]) return false;
    for (int64_t x = 0; x < axe->size; x++) rows[column_major(shape, x)] = x;
    for (int64_t i = 0; i < size; i++) {
        place p;
        const int64_t element = cute_value(tv, i);
        if (!place_of_index(tv, axes, i, &p)) return false;
        if (element < 0 || element >= axe->size || !model_has(axe, rows[element], &p)) return false;
    }
    return true;
}

/* Whether places from 0 on, up to the most on each axis, at most one of memory, hold one element each; and
 * whether their elements add up from layouts of each axis. */
static bool has_tv(const model *axe, const tg_shape *shape)
{
    static int64_t v[MODEL_MOST];
    const int64_t places = axe->start[axe->size];
    tg_shape spans = {.rank = 0};
    int axes[TG_AXIS_COUNT], memories = 0;
    int64_t all = 1;
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        int64_t most = 0;
        for (int i = 0; i < places; i++) {
            if (axe->list[i].at[a] < 0) return false;
            if (axe->list[i].at[a] > most) most = axe->list[i].at[a];
        }
        if (most == 0) continue;
        memories += tg_axes[a].kind == TG_AXIS_MEMORY;
        axes[spans.rank] = a;
        spans.extent[spans.rank++] = most + 1;
        if ((all *= most + 1) > places) return false;
    }
    for (int64_t i = 0; i < all; i++) v[i] = -1;
    for (int64_t x = 0; x < axe->size; x++)
        for (int k = axe->start[x]; k < axe->start[x + 1]; k++) {
            int64_t i = 0;
            for (int d = spans.rank - 1; d >= 0; d--)
                i = i * spans.extent[d] + axe->list[k].at[axes[d]];
            if (v[i] >= 0) return false;
            v[i] = column_major(shape, x);
        }
    return memories < 2 && all == places && v[0] == 0 && adds_up(v, &spans, false);
}

outcome law_cute_tv(chance *c, tg_axe *shown)
{
    tg_cute tv;
    tg_cute_axes axes;
    tg_axe back;
    tg_shape shape;
    wish w = {.most_iters = 4, .most_copies = 2, .most_extent = 4, .most_size = 16, .zero = true};
    if (one_in(c, 12))
        random_layout(c, &w, shown);
    else
        random_holders(c, shown);
    random_shape(c, &shown->d, &shape);
    model_of(shown, &m);
    if (tg_cute_from_axe_tv(shown, &shape, &tv, &axes, NULL) != TG_OK)
        return has_tv(&m, &shape) ? BROKEN : REFUSED;
    if (!same_holders(&tv, &axes, &shape, &m) || tg_cute_check(&tv, NULL) != TG_OK) return BROKEN;
    if (tg_cute_to_axe_tv(&tv, &shape, &axes, &back, NULL) != TG_OK) return BROKEN;
    if (tg_axe_check(&back, NULL) != TG_OK) return BROKEN;
    model_of(&back, &n);
    return model_same(&m, &n) ? KEPT : BROKEN;
}

/* Whether each element is there, and the first thread and value that have it add up from layouts of each
 * dimension. */
static bool has_vt(const tg_cute *tv, const tg_shape *shape)
{
    int64_t size = 1, thread[CUTE_MOST], value[CUTE_MOST];
    tg_cute threads;
    cute_mode(tv, 0, &threads);
    for (int i = 0; i < shape->rank; i++) size *= shape->extent[i];
    for (int64_t y = 0; y < size; y++) {
        int64_t i = 0;
        while (i < cute_size(tv) && cute_value(tv, i) != y) i++;
        if (i == cute_size(tv)) return false;
        thread[y] = i % cute_size(&threads);
        value[y] = i / cute_size(&threads);
    }
    return adds_up(thread, shape, false) && adds_up(value, shape, false);
}

/* The other way: a TV layout, whose modes that move take each element once. */
outcome law_cute_vt(chance *c, tg_axe *shown)
{
    tg_cute part, tv;
    tg_cute_axes axes = {.count = 1, .thread = {TG_AXIS_tx}, .value = TG_AXIS_reg};
    tg_shape shape = {.rank = 0};
    cute_wish w = {.most_modes = 4, .most_size = 64, .zero = true, .spread = true};
    random_cute(c, &w, &part);
    tg_cute_begin(&tv);
    const int both = tg_cute_open(&tv);
    const int rank = cute_rank(&part), threads = (int)pick(c, 0, rank);
    for (int k = 0; k < 2; k++) {
        const int tuple = tg_cute_open(&tv);
        for (int i = k ? threads : 0; i < (k ? rank : threads); i++) {
            tg_cute mode;
            cute_mode(&part, i, &mode);
            tg_cute_put_node(&tv, &mode, 0);
        }
        if (k ? threads == rank : threads == 0) tg_cute_put(&tv, 1, 0);
        tg_cute_close(&tv, tuple);
    }
    tg_cute_close(&tv, both);
    show_cute(&tv, shown);
    tg_iters moving = {.count = 0};
    for (int i = 0; i < tv.shape.count; i++)
        if (tv.shape.node[i].span == 1 && tv.stride.node[i].value)
            tg_iters_put(&moving, tv.shape.node[i].value, tv.stride.node[i].value, TG_AXIS_m);
    for (int i = 1; i < moving.count; i++) /* by strides, so that the shape often fits */
        for (int k = i; k > 0 && moving.list[k].stride < moving.list[k - 1].stride; k--) {
            const tg_iter kept = moving.list[k];
            moving.list[k] = moving.list[k - 1];
            moving.list[k - 1] = kept;
        }
    random_shape(c, &moving, &shape);
    tg_axe r;
    if (tg_cute_to_axe_tv(&tv, &shape, &axes, &r, NULL) != TG_OK) {
        return has_vt(&tv, &shape) ? BROKEN : REFUSED;
    }
    if (tg_axe_check(&r, NULL) != TG_OK) return BROKEN;
    model_of(&r, &m);
    return same_holders(&tv, &axes, &shape, &m) ? KEPT : BROKEN;
}
