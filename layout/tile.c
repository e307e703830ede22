#include "layout/tile.h"

#include "layout/canonical.h"

tg_status tg_shapes_alternate(const tg_shape *outer, const tg_shape *inner, tg_extents *out,
                              tg_diags *diags)
{
    if (outer->rank != inner->rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the outer shape has %d dimensions, the inner one %d: both need as many",
                       outer->rank, inner->rank);
    out->rank = 2 * outer->rank;
    for (int i = 0; i < outer->rank; i++) {
        out->extent[2 * i] = outer->extent[i];
        out->extent[2 * i + 1] = inner->extent[i];
    }
    return TG_OK;
}

static tg_status too_large(tg_axis axis, tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_INVALID, NULL, "coordinates on axis %s do not fit in 61 bits",
                   tg_axes[axis].name);
}

/* Appends iters with their strides times the scale of their axis. */
static tg_status put_scaled(const tg_iter *list, int count, const int64_t *scale, tg_iters *out,
                            tg_diags *diags)
{
    for (int i = 0; i < count; i++) {
        tg_iter it = list[i];
        if (it.stride && __builtin_mul_overflow(it.stride, scale[it.axis], &it.stride))
            return too_large(it.axis, diags);
        if (out->count == TG_AXE_MAX_ITERS)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "a layout has at most %d iters",
                           TG_AXE_MAX_ITERS);
        out->list[out->count++] = it;
    }
    return TG_OK;
}

static tg_status put_block(const tg_groups *groups, int block, const int64_t *scale, tg_iters *out,
                           tg_diags *diags)
{
    const int first = groups->first[block];
    return put_scaled(groups->d.list + first, groups->first[block + 1] - first, scale, out, diags);
}

static tg_status add_offset(const tg_axe *axe, const int64_t *scale, int64_t *offset,
                            tg_diags *diags)
{
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        int64_t scaled;
        if (__builtin_mul_overflow(axe->offset[a], scale[a], &scaled) ||
            __builtin_add_overflow(offset[a], scaled, &offset[a]))
            return too_large((tg_axis)a, diags);
    }
    return TG_OK;
}

/* outer(p) * scale + inner(q) */
static tg_status combine(const tg_shaped *outer, const tg_shaped *inner, const int64_t *scale,
                         tg_axe *out, tg_diags *diags)
{
    int64_t one[TG_AXIS_COUNT];
    tg_groups a, b;
    tg_axe plain, result;
    for (int i = 0; i < TG_AXIS_COUNT; i++) one[i] = 1;
    if (outer->axe->swizzle.bits)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "the outer layout has a swizzle: it is of addresses that the inner one "
                       "takes apart");
    TG_TRY(tg_axe_group(outer->axe, outer->shape, &a, diags));
    TG_TRY(tg_axe_group(inner->axe, inner->shape, &b, diags));
    tg_axe_begin(&result);
    for (int i = 0; i < a.rank; i++) {
        TG_TRY(put_block(&a, i, scale, &result.d, diags));
        TG_TRY(put_block(&b, i, one, &result.d, diags));
    }
    const tg_shaped *parts[] = {outer, inner};
    for (int i = 0; i < 2; i++) {
        const int64_t *by = i ? one : scale;
        tg_axe_copy(parts[i]->axe, &plain);
        tg_axe_canonize(&plain); /* so that no iter of R has extent 1 */
        TG_TRY(put_scaled(plain.r.list, plain.r.count, by, &result.r, diags));
        TG_TRY(add_offset(&plain, by, result.offset, diags));
    }
    result.swizzle = inner->axe->swizzle;
    tg_axe_copy(&result, out);
    return tg_axe_check(out, diags);
}

tg_status tg_axe_tile(const tg_shaped *outer, const tg_shaped *inner, tg_axe *out, tg_diags *diags)
{
    int64_t span[TG_AXIS_COUNT];
    tg_extents domain;
    TG_TRY(tg_shapes_alternate(outer->shape, inner->shape, &domain, diags));
    for (int a = 0; a < TG_AXIS_COUNT; a++) span[a] = tg_axe_span(inner->axe, (tg_axis)a);
    return combine(outer, inner, span, out, diags);
}

tg_status tg_axe_sum(const tg_shaped *outer, const tg_shaped *inner, tg_axe *out, tg_diags *diags)
{
    int64_t one[TG_AXIS_COUNT];
    tg_extents domain;
    TG_TRY(tg_shapes_alternate(outer->shape, inner->shape, &domain, diags));
    for (int a = 0; a < TG_AXIS_COUNT; a++) one[a] = 1;
    return combine(outer, inner, one, out, diags);
}

tg_status tg_axe_tile_to(const tg_shaped *inner, const tg_shape *shape, tg_axis axis, tg_axe *out,
                         tg_diags *diags)
{
    tg_shape grid = *shape;
    tg_axe row_major;
    int64_t step = 1, size;
    if (tg_axes[axis].kind != TG_AXIS_MEMORY)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "axis %s is not of memory", tg_axes[axis].name);
    TG_TRY(tg_shape_size(shape, &size, diags));
    if (shape->rank != inner->shape->rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a shape of %d dimensions is not made of tiles of %d", shape->rank,
                       inner->shape->rank);
    for (int i = 0; i < shape->rank; i++) {
        const int64_t tile = inner->shape->extent[i];
        if (tile < 1 || shape->extent[i] % tile != 0)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "dimension %d has %lld, which is no multiple of the tile's %lld", i,
                           (long long)shape->extent[i], (long long)tile);
        grid.extent[i] /= tile;
    }
    tg_axe_begin(&row_major);
    for (int i = 0; i < grid.rank; i++) step *= grid.extent[i];
    for (int i = 0; i < grid.rank; i++) {
        step /= grid.extent[i];
        tg_iters_put(&row_major.d, grid.extent[i], step, axis);
    }
    const tg_shaped outer = {&row_major, &grid};
    return tg_axe_tile(&outer, inner, out, diags);
}
