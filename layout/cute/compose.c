#include "layout/cute/compose.h"

#include "layout/cute/modes.h"
#include "layout/cute/swizzle.h"
#include "layout/map.h"

/* A, and how far all modes of B together go in each of its modes but the last. */
typedef struct composer {
    tg_modes a;
    int64_t reach[2][TG_TUPLE_MOST_INTEGERS]; /* up, and down */
    tg_cute *out;
    tg_diags *diags;
} composer;

static int64_t up(int64_t v, int64_t by) { return v / by + (v % by != 0); }

static int64_t size_of(int64_t v) { return v < 0 ? -v : v; }

/* Of one mode of B: at each boundary between modes of A that it crosses. */
static tg_status check_divisibility(composer *c, tg_mode b)
{
    const int64_t d = size_of(b.stride);
    int64_t p = 1;
    for (int k = 0; d && k + 1 < c->a.count; k++) {
        p *= c->a.list[k].extent;
        if ((b.extent - 1) * d < p) break;
        if (d % p != 0 && p % d != 0)
            return tg_fail(c->diags, TG_ERR_INVALID, NULL,
                           "stride divisibility: %lld:%lld steps by %lld over the first %lld "
                           "elements, and neither divides the other",
                           (long long)b.extent, (long long)b.stride, (long long)d, (long long)p);
        if (p % d == 0 && b.extent % (p / d) != 0)
            return tg_fail(c->diags, TG_ERR_INVALID, NULL,
                           "shape divisibility: of %lld:%lld, %lld elements are among the first "
                           "%lld, which does not divide %lld",
                           (long long)b.extent, (long long)b.stride, (long long)(p / d),
                           (long long)p, (long long)b.extent);
    }
    return TG_OK;
}

/* Elements 0, step, 2 step, .. of mode k of A. */
static tg_status put_piece(composer *c, int k, int64_t extent, int64_t step, tg_modes *out)
{
    tg_mode piece = {extent, 0};
    if (__builtin_mul_overflow(step, c->a.list[k].stride, &piece.stride))
        return tg_fail(c->diags, TG_ERR_INVALID, NULL, "a stride does not fit in 63 bits");
    out->list[out->count++] = piece;
    if (extent > 1) c->reach[step < 0][k] += (extent - 1) * size_of(step);
    return TG_OK;
}

/* A after s:d, once the conditions are known to hold.  An extent of 1 gets the stride that CuTe has. */
static tg_status put_mode(composer *c, tg_mode b)
{
    const int last = c->a.count - 1, sign = b.stride < 0 ? -1 : 1;
    int64_t rest = b.extent, step = size_of(b.stride);
    tg_modes pieces = {.count = 0};
    for (int k = 0; k < last && step; k++) {
        const int64_t extent = c->a.list[k].extent, in_mode = up(extent, step);
        if (in_mode > 1 && rest > 1) {
            const int64_t taken = in_mode < rest ? in_mode : rest;
            TG_TRY(put_piece(c, k, taken, sign * step, &pieces));
            rest /= taken;
        }
        step = up(step, extent);
    }
    if (rest > 1 || pieces.count == 0) TG_TRY(put_piece(c, last, rest, sign * step, &pieces));
    tg_modes_put(&pieces, c->out);
    return TG_OK;
}

static tg_status put_node(composer *c, const tg_cute *b, int at)
{
    if (tg_tuple_is_integer(&b->shape, at)) {
        const tg_mode mode = {b->shape.node[at].value, b->stride.node[at].value};
        TG_TRY(check_divisibility(c, mode));
        return put_mode(c, mode);
    }
    const int tuple = tg_cute_open(c->out);
    for (int i = at + 1; i < at + b->shape.node[at].span; i += b->shape.node[i].span)
        TG_TRY(put_node(c, b, i));
    tg_cute_close(c->out, tuple);
    return TG_OK;
}

/* The sum of digits of one mode of A must stay in it.  A sum that is negative in one mode and positive in
 * another would have other digits. */
static tg_status check_carry(composer *c)
{
    const int last = c->a.count - 1;
    uint64_t goes[2] = {0, 0}; /* the modes of A in which B goes up, and down */
    for (int k = 0; k <= last; k++)
        for (int down = 0; down < 2; down++) {
            const int64_t reach = c->reach[down][k], extent = c->a.list[k].extent;
            if (reach) goes[down] |= UINT64_C(1) << k;
            if (reach && k < last && reach >= extent)
                return tg_fail(c->diags, TG_ERR_INVALID, NULL,
                               "modes of the second layout add up to %lld in a mode of %lld of the "
                               "first: they carry into the next",
                               (long long)reach, (long long)extent);
        }
    const uint64_t all = goes[0] | goes[1];
    if (goes[0] && goes[1] && (all & (all - 1)))
        return tg_fail(
            c->diags, TG_ERR_INVALID, NULL,
            "modes of the second layout go up in one mode of the first and down in another");
    return TG_OK;
}

/* Without swizzles. */
static tg_status put_composed(const tg_cute *a, int at, const tg_cute *b, int bt, tg_cute *out,
                              tg_diags *diags)
{
    composer c = {.reach = {{0}}, .out = out, .diags = diags};
    tg_modes_of(a, at, &c.a);
    tg_modes_coalesce_beyond(&c.a);
    TG_TRY(put_node(&c, b, bt));
    return check_carry(&c);
}

/* Whether R(c) = A(B(c)) for all c. */
static bool is_composed(const tg_cute *a, const tg_cute *b, const tg_cute *r)
{
    const int64_t size = tg_cute_size(b);
    int64_t value;
    for (int64_t i = 0; i < size; i++)
        if (!tg_cute_map_beyond(a, tg_cute_map(b, i), &value) || value != tg_cute_map(r, i))
            return false;
    return true;
}

/* R is A after B without the swizzle of B, which is to be that of R. */
static tg_status pass_swizzle(const tg_cute *a, const tg_cute *b, tg_cute *r, tg_diags *diags)
{
    tg_swizzle passed;
    tg_cute strides;
    if (a->offset || b->offset)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "composition with a swizzle before an offset, or after one");
    if (tg_cute_size(b) > TG_AXE_MOST_POINTS)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "to try a swizzle on %lld elements is too much", (long long)tg_cute_size(b));
    TG_TRY(tg_cute_check(r, diags));
    tg_cute_copy(a, &strides);
    strides.swizzle = (tg_swizzle){0};
    if (tg_swizzle_through(&strides, &b->swizzle, &passed))
        tg_swizzle_join(&passed, &a->swizzle, &r->swizzle);
    if (is_composed(a, b, r)) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "no swizzle after the first layout does what that of the second does before it");
}

tg_status tg_cute_compose(const tg_cute *a, const tg_cute *b, tg_cute *out, tg_diags *diags)
{
    tg_cute result;
    tg_cute_begin(&result);
    result.offset = a->offset;
    result.swizzle = a->swizzle;
    TG_TRY(put_composed(a, 0, b, 0, &result, diags));
    if (!tg_cute_is_plain(b)) TG_TRY(pass_swizzle(a, b, &result, diags));
    tg_cute_copy(&result, out);
    return tg_cute_check(out, diags);
}

static tg_status put_by(const tg_cute *a, int at, const tg_tiler *tiler, int tt, tg_cute *out,
                        tg_diags *diags)
{
    if (tiler->kind[tt] == TG_TILER_NONE) {
        tg_cute_put_node(out, a, at);
        return TG_OK;
    }
    if (tiler->kind[tt] == TG_TILER_LAYOUT)
        return put_composed(a, at, &tiler->layout, tt, out, diags);
    TG_TRY(tg_tiler_check_rank(tiler, tt, tg_tuple_rank(&a->shape, at), diags));
    const int tuple = tg_cute_open(out), modes = tg_tuple_rank(&tiler->layout.shape, tt);
    for (int i = 0; i < modes; i++)
        TG_TRY(put_by(a, tg_tuple_element(&a->shape, at, i), tiler,
                      tg_tuple_element(&tiler->layout.shape, tt, i), out, diags));
    tg_cute_close(out, tuple);
    return TG_OK;
}

tg_status tg_cute_compose_by(const tg_cute *a, const tg_tiler *tiler, tg_cute *out, tg_diags *diags)
{
    tg_cute result;
    if (tiler->kind[0] == TG_TILER_LAYOUT) return tg_cute_compose(a, &tiler->layout, out, diags);
    tg_cute_begin(&result);
    result.offset = a->offset;
    result.swizzle = a->swizzle;
    TG_TRY(put_by(a, 0, tiler, 0, &result, diags));
    tg_cute_copy(&result, out);
    return tg_cute_check(out, diags);
}
