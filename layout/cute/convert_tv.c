#include "layout/cute/convert.h"

#include "layout/canonical.h"
#include "layout/cute/digits.h"
#include "layout/cute/modes.h"
#include "layout/scope.h"

/* A digit of a thread or a value, and the step of the element's column-major index: 0 for a copy. */
typedef struct holder {
    tg_iter it;
    int64_t element;
} holder;

typedef struct holders {
    int count;
    holder list[2 * TG_AXE_MAX_ITERS];
} holders;

/* By strides on the axis, or by those of elements. */
static void sort_holders(holders *h, bool by_element)
{
    for (int i = 1; i < h->count; i++) {
        const holder one = h->list[i];
        int k = i;
        for (; k > 0; k--) {
            const holder *before = &h->list[k - 1];
            if (by_element ? before->element <= one.element : before->it.stride <= one.it.stride)
                break;
            h->list[k] = *before;
        }
        h->list[k] = one;
    }
}

/* Digits of D and of R on all axes. */
static void find_holders(const tg_axe *axe, const tg_digits *digits, const tg_shape *shape,
                         holders *out)
{
    int64_t before[TG_SHAPE_MAX_RANK], size = 1; /* column-major: products of earlier extents */
    for (int i = 0; i < shape->rank; i++) {
        before[i] = size;
        size *= shape->extent[i];
    }
    out->count = 0;
    for (int i = 0; i < digits->count; i++) {
        const tg_digit d = digits->list[i];
        out->list[out->count++] = (holder){d.it, d.place * before[shape->rank - 1 - d.dim]};
    }
    for (int i = 0; i < axe->r.count; i++)
        if (axe->r.list[i].extent > 1 && axe->r.list[i].stride)
            out->list[out->count++] = (holder){axe->r.list[i], 0};
}

/* The modes of one axis, whose digits must be those of an index from 0 on. */
static tg_status put_axis(const holders *h, tg_axis axis, tg_cute *out, tg_diags *diags)
{
    tg_modes modes = {.count = 0};
    int64_t next = 1;
    for (int i = 0; i < h->count; i++) {
        const tg_iter it = h->list[i].it;
        if (it.axis != axis) continue;
        if (it.stride != next)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "axis %s has stride %lld where %lld would follow: its indices from 0 on "
                           "are not taken once each",
                           tg_axes[axis].name, (long long)it.stride, (long long)next);
        modes.list[modes.count++] = (tg_mode){it.extent, h->list[i].element};
        next *= it.extent;
    }
    tg_modes_coalesce(&modes);
    tg_modes_put(&modes, out);
    return TG_OK;
}

static bool comes_before(tg_axis a, tg_axis b)
{
    const tg_axis_info *x = &tg_axes[a], *y = &tg_axes[b];
    if (x->from != y->from) return x->from < y->from;
    return x->along != y->along ? x->along < y->along : a < b;
}

/* Adds an axis to those of threads, from the innermost, or as that of values. */
static tg_status add_axis(tg_axis axis, bool *has_value, tg_cute_axes *axes, tg_diags *diags)
{
    if (tg_axes[axis].kind == TG_AXIS_MEMORY) {
        if (*has_value)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "values of a CuTe layout are on one axis, not both %s and %s",
                           tg_axes[axes->value].name, tg_axes[axis].name);
        *has_value = true;
        axes->value = axis;
        return TG_OK;
    }
    int k = axes->count++;
    for (; k > 0 && comes_before(axis, axes->thread[k - 1]); k--)
        axes->thread[k] = axes->thread[k - 1];
    axes->thread[k] = axis;
    return TG_OK;
}

static tg_status find_axes(const tg_axe *axe, tg_cute_axes *axes, tg_diags *diags)
{
    bool has_value = false;
    *axes = (tg_cute_axes){.count = 0, .value = TG_AXIS_reg};
    if (axe->swizzle.bits)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "a CuTe layout of threads and values has no swizzle of registers");
    for (int i = 0; i < axe->d.count; i++)
        if (axe->d.list[i].stride == 0 && axe->d.list[i].extent > 1)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "elements share a place: there is no map from places to elements");
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        if (axe->offset[a])
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "an offset on axis %s has no counterpart in CuTe", tg_axes[a].name);
        if (tg_axe_span(axe, (tg_axis)a) > 1) TG_TRY(add_axis((tg_axis)a, &has_value, axes, diags));
    }
    return TG_OK;
}

tg_status tg_cute_from_axe_tv(const tg_axe *axe, const tg_shape *shape, tg_cute *out,
                              tg_cute_axes *axes, tg_diags *diags)
{
    tg_axe canonical; /* copies that coincide are one, and begin at the offset */
    tg_digits digits;
    holders h;
    tg_axe_copy(axe, &canonical);
    tg_axe_canonize(&canonical);
    TG_TRY(find_axes(&canonical, axes, diags));
    TG_TRY(tg_digits_of_axe(&canonical, shape, &digits, diags));
    find_holders(&canonical, &digits, shape, &h);
    sort_holders(&h, false);
    tg_cute_begin(out);
    const int both = tg_cute_open(out);
    const int threads = axes->count > 1 ? tg_cute_open(out) : 0;
    for (int i = 0; i < axes->count; i++) TG_TRY(put_axis(&h, axes->thread[i], out, diags));
    if (axes->count == 0) tg_cute_put(out, 1, 0);
    if (axes->count > 1) tg_cute_close(out, threads);
    TG_TRY(put_axis(&h, axes->value, out, diags));
    tg_cute_close(out, both);
    return tg_cute_check(out, diags);
}

static tg_status check_axes(const tg_cute *cute, const tg_cute_axes *axes, tg_diags *diags)
{
    tg_axis_set named = TG_AXIS_BIT(axes->value);
    TG_TRY(tg_cute_check_plain(cute, "a conversion of threads and values", diags));
    if (tg_cute_rank(cute) != 2 || tg_tuple_is_integer(&cute->shape, 0))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a layout of threads and values has rank 2, not %d", tg_cute_rank(cute));
    const int threads = tg_tuple_element(&cute->shape, 0, 0);
    const int rank = tg_tuple_rank(&cute->shape, threads);
    const bool is_one = axes->count == 0 && tg_tuple_product(&cute->shape, threads) == 1;
    if (axes->count != 1 && rank != axes->count && !is_one)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "threads have %d modes, but %d axes", rank,
                       axes->count);
    for (int i = 0; i < axes->count; i++) {
        if (tg_axes[axes->thread[i]].kind == TG_AXIS_MEMORY)
            return tg_fail(diags, TG_ERR_INVALID, NULL, "axis %s is not of threads",
                           tg_axes[axes->thread[i]].name);
        if (named & TG_AXIS_BIT(axes->thread[i]))
            return tg_fail(diags, TG_ERR_INVALID, NULL, "axis %s is named twice",
                           tg_axes[axes->thread[i]].name);
        named |= TG_AXIS_BIT(axes->thread[i]);
    }
    if (tg_axes[axes->value].kind != TG_AXIS_MEMORY)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "axis %s is not of memory",
                       tg_axes[axes->value].name);
    return tg_scope_check(named, -1, diags);
}

/* The digits of one axis, which a node of the layout has; copies go to R. */
static void take_axis(const tg_cute *cute, int at, tg_axis axis, holders *h, tg_iters *r)
{
    tg_modes modes;
    int64_t place = 1;
    tg_modes_of(cute, at, &modes);
    for (int i = 0; i < modes.count; i++) {
        const tg_mode mode = modes.list[i];
        if (mode.extent > 1 && mode.stride)
            h->list[h->count++] = (holder){{mode.extent, place, axis}, mode.stride};
        else if (mode.extent > 1)
            tg_iters_put(r, mode.extent, place, axis);
        place *= mode.extent;
    }
}

/* An iter that goes on where the last ended is the same one, which a dimension may divide otherwise. */
static void put_or_fuse(tg_iter it, tg_iters *out)
{
    tg_iter *last = out->count ? &out->list[out->count - 1] : NULL;
    if (last && last->axis == it.axis && last->extent * last->stride == it.stride)
        last->extent *= it.extent;
    else
        out->list[out->count++] = it;
}

/* Whether the digits are those of all elements; they become iters, the fastest first. */
static tg_status check_all(holders *h, int64_t size, tg_iters *out, tg_diags *diags)
{
    int64_t next = 1;
    sort_holders(h, true);
    out->count = 0;
    for (int i = 0; i < h->count; i++) {
        if (h->list[i].element != next)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "no mode has stride %lld, but one has %lld: elements have no place, or "
                           "several",
                           (long long)next, (long long)h->list[i].element);
        put_or_fuse(h->list[i].it, out);
        next *= h->list[i].it.extent;
    }
    if (next == size) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "threads and values have %lld elements of a shape of %lld", (long long)next,
                   (long long)size);
}

tg_status tg_cute_to_axe_tv(const tg_cute *cute, const tg_shape *shape, const tg_cute_axes *axes,
                            tg_axe *out, tg_diags *diags)
{
    holders h = {.count = 0};
    tg_iters iters;
    tg_digits digits;
    int64_t size;
    TG_TRY(check_axes(cute, axes, diags));
    TG_TRY(tg_shape_size(shape, &size, diags));
    const int threads = tg_tuple_element(&cute->shape, 0, 0);
    tg_axe_begin(out);
    for (int i = 0; i < axes->count; i++) {
        const int at = axes->count == 1 ? threads : tg_tuple_element(&cute->shape, threads, i);
        take_axis(cute, at, axes->thread[i], &h, &out->r);
    }
    take_axis(cute, tg_tuple_element(&cute->shape, 0, 1), axes->value, &h, &out->r);
    TG_TRY(check_all(&h, size, &iters, diags));
    TG_TRY(tg_digits_split(&iters, shape, &digits, diags));
    for (int i = 0; i < shape->rank; i++) tg_digits_put(&digits, i, &out->d);
    return tg_axe_check(out, diags);
}
