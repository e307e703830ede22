#include "layouts/cute_model.h"

#include <stdlib.h>
#include <string.h>

const cute_wish any_cute = {
    .most_modes = 5, .most_size = 96, .negative = true, .zero = true, .swizzle = true};

/* ---- random layouts ---- */

static void put_nested(chance *c, int count, const int64_t *extents, const int64_t *strides,
                       int depth, tg_cute *out)
{
    if (count == 1 && (depth > 3 || !one_in(c, 8))) {
        tg_cute_put(out, extents[0], strides[0]);
        return;
    }
    const int tuple = tg_cute_open(out);
    for (int i = 0; i < count;) {
        int n = depth > 3 || one_in(c, 2) ? 1 : (int)pick(c, 1, count - i);
        if (n == count && n > 1 && depth > 2) n = 1;
        put_nested(c, n, extents + i, strides + i, depth + 1, out);
        i += n;
    }
    tg_cute_close(out, tuple);
}

void nest_modes(chance *c, int count, const int64_t *extents, const int64_t *strides, tg_cute *out)
{
    tg_cute_begin(out);
    put_nested(c, count, extents, strides, 0, out);
}

static int64_t any_stride(chance *c, const cute_wish *w, int64_t extent, int64_t stride)
{
    int64_t s = one_in(c, 2) ? pick(c, 1, 16) : extent * stride;
    if (s > 2000 || s < -2000 || s == 0) s = 1;
    if (w->negative && one_in(c, 6)) s = -s;
    if (!w->negative && s < 0) s = -s;
    return w->zero && one_in(c, 8) ? 0 : s;
}

static void shuffle(chance *c, int count, int *order)
{
    for (int i = 0; i < count; i++) order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        const int k = (int)pick(c, 0, i), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
}

static void spread(chance *c, const cute_wish *w, int count, const int64_t *extents,
                   int64_t *strides)
{
    int order[16];
    int64_t next = 1;
    shuffle(c, count, order);
    for (int i = 0; i < count; i++) {
        const int k = order[i];
        if (one_in(c, 4)) next *= pick(c, 1, 4);
        if (one_in(c, 12)) next += pick(c, 0, 3);
        strides[k] = w->zero && one_in(c, 8) ? 0 : next;
        if (strides[k]) next *= extents[k];
        if (w->negative && one_in(c, 12)) strides[k] = -strides[k];
    }
}

void random_cute(chance *c, const cute_wish *w, tg_cute *out)
{
    int64_t extents[16], strides[16];
    int count = random_extents(c, w->most_modes, 8, w->most_size, extents);
    if (count == 0) extents[count++] = 1;
    if (w->spread || one_in(c, 3)) {
        spread(c, w, count, extents, strides);
    } else {
        for (int i = 0; i < count; i++)
            strides[i] = any_stride(c, w, i ? extents[i - 1] : 1, i ? strides[i - 1] : 1);
    }
    nest_modes(c, count, extents, strides, out);
    if (w->swizzle && one_in(c, 6)) {
        const int bits = (int)pick(c, 1, 3), shift = (int)pick(c, bits, 4);
        out->swizzle =
            (tg_swizzle){bits, (int)pick(c, 0, 3), one_in(c, 4) ? -shift : shift, TG_AXIS_m};
        if (one_in(c, 3)) out->offset = pick(c, -9, 40);
    }
}

void random_digits_of(chance *c, const tg_cute *a, tg_cute *out)
{
    int64_t extents[24], places[24], put_extents[24], put_places[24], below = 1, size = 1;
    int count = 0, used = 0, order[24];
    for (int i = 0; i < a->shape.count; i++) {
        if (a->shape.node[i].span != 1) continue;
        for (int64_t left = a->shape.node[i].value, p = 2; left > 1; p++)
            while (left % p == 0) {
                const int64_t taken = one_in(c, 3) ? left : p;
                if (count && one_in(c, 3)) { /* one mode over two of A, perhaps */
                    extents[count - 1] *= taken;
                } else {
                    extents[count] = taken;
                    places[count++] = below;
                }
                below *= taken;
                left /= taken;
            }
    }
    if (one_in(c, 4)) {
        extents[count] = pick(c, 1, 3); /* beyond the size */
        places[count++] = below;
    }
    shuffle(c, count, order);
    for (int i = 0; i < count && used < 8; i++) {
        if (one_in(c, 5) || size * extents[order[i]] > CUTE_MOST) continue;
        put_extents[used] = extents[order[i]];
        put_places[used++] = places[order[i]];
        size *= extents[order[i]];
        if (used < 8 && one_in(c, 10)) {
            put_extents[used] = 1;
            put_places[used++] = pick(c, -3, 9);
        }
    }
    if (used == 0) {
        put_extents[used] = 1;
        put_places[used++] = 0;
    }
    nest_modes(c, used, put_extents, put_places, out);
}

void show_cute(const tg_cute *cute, tg_axe *shown)
{
    tg_axe_begin(shown);
    for (int i = cute->shape.count - 1; i >= 0; i--)
        if (cute->shape.node[i].span == 1)
            tg_iters_put(&shown->d, cute->shape.node[i].value, cute->stride.node[i].value,
                         TG_AXIS_m);
    shown->offset[TG_AXIS_m] = cute->offset;
    shown->swizzle = cute->swizzle;
}

/* ---- the map ---- */

int64_t cute_size(const tg_cute *cute)
{
    int64_t size = 1;
    for (int i = 0; i < cute->shape.count; i++)
        if (cute->shape.node[i].span == 1) size *= cute->shape.node[i].value;
    return size;
}

/* As CuTe defines it: y bits, shifted to z bits. */
static int64_t swizzled(const tg_swizzle *s, int64_t v)
{
    int64_t y = 0;
    for (int b = 0; b < s->bits; b++)
        y |= INT64_C(1) << (s->base + b + (s->shift > 0 ? s->shift : 0));
    const int64_t taken = v & y;
    return v ^ (s->shift > 0 ? taken >> s->shift : taken * (INT64_C(1) << -s->shift));
}

int64_t cute_value(const tg_cute *cute, int64_t i)
{
    const int64_t magnitude = i < 0 ? -i : i;
    int64_t before = 1, sum = 0;
    for (int n = 0; n < cute->shape.count; n++) {
        if (cute->shape.node[n].span != 1) continue;
        const int64_t digit = magnitude / before, extent = cute->shape.node[n].value;
        sum += (n == cute->shape.count - 1 ? digit : digit % extent) * cute->stride.node[n].value;
        before *= extent;
    }
    return swizzled(&cute->swizzle, cute->offset + (i < 0 ? -sum : sum));
}

int cute_rank(const tg_cute *cute)
{
    int rank = 0;
    if (cute->shape.node[0].span == 1) return 1;
    for (int i = 1; i < cute->shape.count; i += cute->shape.node[i].span) rank++;
    return rank;
}

void cute_mode(const tg_cute *cute, int i, tg_cute *out)
{
    int at = cute->shape.node[0].span == 1 ? 0 : 1;
    for (; i > 0; i--) at += cute->shape.node[at].span;
    tg_cute_begin(out);
    tg_cute_put_node(out, cute, at);
}

static bool refines(const tg_tuple *a, int at, const tg_tuple *b, int bt)
{
    if (a->node[at].span == 1) {
        int64_t size = 1;
        for (int i = bt; i < bt + b->node[bt].span; i++)
            if (b->node[i].span == 1) size *= b->node[i].value;
        return size == a->node[at].value;
    }
    if (b->node[bt].span == 1) return false;
    int i = at + 1, k = bt + 1;
    for (; i < at + a->node[at].span && k < bt + b->node[bt].span;
         i += a->node[i].span, k += b->node[k].span)
        if (!refines(a, i, b, k)) return false;
    return i == at + a->node[at].span && k == bt + b->node[bt].span;
}

bool cute_refines(const tg_cute *a, const tg_cute *b)
{
    return refines(&a->shape, 0, &b->shape, 0);
}

bool is_some_layout(const int64_t *v, int64_t count, int64_t step)
{
    int64_t run = 1;
    if (v[0] != 0) return false;
    if (count == 1) return true;
    while (run < count && v[run * step] == run * v[step]) run++;
    if (count % run != 0) return false;
    for (int64_t i = 0; i < count; i++)
        if (v[i * step] != v[i / run * run * step] + v[i % run * step]) return false;
    return run == count || is_some_layout(v, count / run, step * run);
}

bool all_differ(const int64_t *v, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < i; k++)
            if (v[i] == v[k]) return false;
    return true;
}

/* ---- modes that move ---- */

bool values_of(const tg_cute *a, cute_values *out)
{
    if (tg_cute_check(a, NULL) != TG_OK) return false;
    out->count = cute_size(a);
    if (out->count > MOST_VALUES) return false;
    for (int64_t i = 0; i < out->count; i++) out->v[i] = cute_value(a, i);
    return true;
}

cute_moving moving_modes(const tg_cute *a)
{
    cute_moving m = {.count = 0};
    for (int i = 0; i < a->shape.count; i++)
        if (a->shape.node[i].span == 1 && a->shape.node[i].value > 1 && a->stride.node[i].value) {
            m.extent[m.count] = a->shape.node[i].value;
            m.stride[m.count++] = a->stride.node[i].value;
        }
    return m;
}

bool modes_overlap(const cute_moving *m)
{
    for (int i = 0; i < m->count; i++)
        for (int k = 0; k < m->count; k++)
            if (i != k && m->stride[i] <= m->stride[k] &&
                m->stride[i] * m->extent[i] > m->stride[k])
                return true;
    return false;
}

bool any_negative(const cute_moving *m)
{
    for (int i = 0; i < m->count; i++)
        if (m->stride[i] < 0) return true;
    return false;
}

bool is_even(const cute_moving *m)
{
    for (int i = 0; i < m->count; i++) {
        int64_t end = 1;
        for (int k = 0; k < m->count; k++)
            if (m->stride[k] < m->stride[i] && m->extent[k] * m->stride[k] > end)
                end = m->extent[k] * m->stride[k];
        if (m->stride[i] % end != 0) return false;
    }
    return true;
}

/* ---- composition ---- */

/* Whether |d| and the first p elements of A divide each other as they must, at each p after which A begins
 * a new mode. */
static bool divides(const tg_cute *a, int64_t s, int64_t d)
{
    int64_t p = 1, extent = 0, stride = 0;
    if (d < 0) d = -d;
    for (int i = 0; i < a->shape.count; i++) {
        const int64_t e = a->shape.node[i].value, t = a->stride.node[i].value;
        const bool is_last = i == a->shape.count - 1;
        if (a->shape.node[i].span != 1 || (e == 1 && !is_last)) continue;
        const bool is_boundary = extent && t != extent * stride;
        if (is_boundary && d && (s - 1) * d >= p) {
            if (d % p != 0 && p % d != 0) return false;
            if (p % d == 0 && s % (p / d) != 0) return false;
        }
        p *= e;
        extent = e;
        stride = t;
    }
    return true;
}

bool may_refuse_composition(const tg_cute *a, const tg_cute *b)
{
    static int64_t v[CUTE_MOST * 4];
    bool ups = false, downs = false;
    for (int i = 0; i < b->shape.count; i++) {
        const int64_t s = b->shape.node[i].value, d = b->stride.node[i].value;
        if (b->shape.node[i].span != 1) continue;
        if (!divides(a, s, d)) return true;
        for (int64_t k = 0; k < s; k++) v[k] = cute_value(a, k * d);
        if (!is_some_layout(v, s, 1)) return true;
        ups |= s > 1 && d > 0;
        downs |= s > 1 && d < 0;
    }
    if (ups && downs) return true;
    const int64_t size = cute_size(b);
    for (int64_t i = 0; i < size; i++) { /* the modes do not add up */
        int64_t below = 1, sum = 0;
        for (int n = 0; n < b->shape.count; n++) {
            if (b->shape.node[n].span != 1) continue;
            sum += cute_value(a, i / below % b->shape.node[n].value * b->stride.node[n].value);
            below *= b->shape.node[n].value;
        }
        if (sum != cute_value(a, cute_value(b, i))) return true;
    }
    return false;
}
