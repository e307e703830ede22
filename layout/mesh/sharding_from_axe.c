#include "layout/canonical.h"
#include "layout/equal.h"
#include "layout/mesh/sharding.h"

tg_status tg_parts_of_iter(const tg_mesh *mesh, const tg_iter *iter, tg_parts *out, tg_diags *diags)
{
    const int64_t extent = iter->extent, stride = iter->stride;
    int64_t end, found = 1;
    if (stride < 1 || __builtin_mul_overflow(extent, stride, &end) || end > mesh->device_count)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "iter %lld:%lld@gpuid leaves a mesh of %d devices", (long long)extent,
                       (long long)stride, mesh->device_count);
    for (int a = 0; a < mesh->axis_count; a++) {
        const int64_t below = tg_mesh_stride(mesh, a), above = below * mesh->axes[a].size;
        const int64_t low = stride > below ? stride : below, high = end < above ? end : above;
        if (high <= low) continue;
        if (above % high != 0 || high % low != 0 || low % below != 0) break;
        found *= high / low;
        tg_parts_add(out, (tg_part){a, (int)(above / high), (int)(high / low)});
    }
    if (found != extent)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "iter %lld:%lld@gpuid is not made of parts of the axes of the mesh",
                       (long long)extent, (long long)stride);
    return TG_OK;
}

static tg_status check_axes(const tg_axe *axe, tg_diags *diags)
{
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        const tg_range range = tg_axe_range(axe, (tg_axis)a);
        if (a != TG_AXIS_gpuid && a != TG_AXIS_m && (range.least || range.most))
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "a sharding is of axes gpuid and m; this layout has axis %s",
                           tg_axes[a].name);
    }
    for (int i = 0; i < axe->d.count; i++)
        if (!axe->d.list[i].stride)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "%lld elements have one place; in a sharding each has its own",
                           (long long)axe->d.list[i].extent);
    return TG_OK;
}

/* The digits of a dimension: blocks first, then the memory of a device. */
static tg_status put_digit(const tg_mesh *mesh, const tg_iter *it, int dim, bool *in_memory,
                           tg_sharding *out, tg_diags *diags)
{
    if (it->axis == TG_AXIS_m) {
        *in_memory = true;
        return TG_OK;
    }
    if (*in_memory)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "dimension %d has a device digit below a digit of memory: a device holds no "
                       "block of it",
                       dim);
    return tg_parts_of_iter(mesh, it, &out->dims[dim], diags);
}

/* Cuts D into dimensions.  A digit across two of them is split. */
static tg_status cut(const tg_iters *fused, const tg_mesh *mesh, const tg_shape *shape,
                     tg_sharding *out, tg_diags *diags)
{
    int k = 0;
    int64_t tail = fused->count ? fused->list[0].extent : 1; /* what is left of digit k */
    for (int d = 0; d < shape->rank; d++) {
        int64_t left = shape->extent[d];
        bool in_memory = false;
        while (left > 1) {
            tg_iter it = fused->list[k];
            it.extent = tail < left ? tail : left;
            if (left % it.extent != 0 || tail % it.extent != 0)
                return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                               "dimension %d of %lld ends within a digit of the layout", d,
                               (long long)shape->extent[d]);
            it.stride *= tail / it.extent;
            TG_TRY(put_digit(mesh, &it, d, &in_memory, out, diags));
            left /= it.extent;
            tail /= it.extent;
            if (tail == 1) tail = ++k < fused->count ? fused->list[k].extent : 1;
        }
    }
    return TG_OK;
}

/* Why a layout is not that of the sharding that its device digits make. */
static tg_status say_difference(const tg_axe *axe, const tg_axe *wanted, tg_diags *diags)
{
    const tg_iters *a = &axe->d, *b = &wanted->d;
    if (axe->swizzle.bits)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "a sharding has no swizzle");
    bool same = a->count == b->count;
    for (int i = 0; same && i < a->count; i++)
        same = a->list[i].extent == b->list[i].extent && a->list[i].stride == b->list[i].stride &&
               a->list[i].axis == b->list[i].axis;
    if (axe->offset[TG_AXIS_m] || axe->offset[TG_AXIS_gpuid])
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "a sharding begins at device 0 and at 0 in memory, this layout at %lld and "
                       "%lld",
                       (long long)axe->offset[TG_AXIS_gpuid], (long long)axe->offset[TG_AXIS_m]);
    if (!same)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "what a device holds is not row-major in its memory");
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "the copies of an element are not on all devices that differ only in axes which "
                   "divide no dimension");
}

tg_status tg_sharding_from_axe(const tg_axe *axe, const tg_mesh *mesh, const tg_shape *shape,
                               tg_sharding *out, tg_diags *diags)
{
    int64_t size;
    tg_axe canonical, wanted;
    bool equal;
    TG_TRY(tg_shape_size(shape, &size, diags));
    if (size != tg_iters_size(&axe->d))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a layout of %lld elements is none of an array of %lld",
                       (long long)tg_iters_size(&axe->d), (long long)size);
    tg_axe_copy(axe, &canonical);
    tg_axe_canonize(&canonical);
    TG_TRY(check_axes(&canonical, diags));
    tg_sharding_begin(out, shape->rank);
    TG_TRY(cut(&canonical.d, mesh, shape, out, diags));
    if (tg_sharding_check(mesh, out, NULL) != TG_OK)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "two digits of the layout are of one part of the mesh");
    TG_TRY(tg_sharding_to_axe(mesh, out, shape, &wanted, diags));
    TG_TRY(tg_axe_equal(&canonical, &wanted, &equal, diags));
    return equal ? TG_OK : say_difference(&canonical, &wanted, diags);
}
