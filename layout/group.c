#include "layout/group.h"

#include <string.h>

#include "layout/canonical.h"

tg_extents tg_extents_of(const tg_shape *shape)
{
    tg_extents extents = {.rank = shape->rank};
    memcpy(extents.extent, shape->extent, (size_t)shape->rank * sizeof *shape->extent);
    return extents;
}

static tg_status check_size(const tg_iters *d, const tg_extents *extents, tg_diags *diags)
{
    int64_t size = 1;
    for (int i = 0; i < extents->rank; i++) {
        if (extents->extent[i] < 1)
            return tg_fail(diags, TG_ERR_INVALID, NULL, "dimension %d has %lld; it has at least 1",
                           i, (long long)extents->extent[i]);
        if (__builtin_mul_overflow(size, extents->extent[i], &size))
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "the product of the extents does not fit in 63 bits");
    }
    if (size == tg_iters_size(d)) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL,
                   "the shape has %lld elements, the layout has %lld: it does not admit the shape",
                   (long long)size, (long long)tg_iters_size(d));
}

tg_status tg_axe_admit(const tg_axe *axe, const tg_shape *shape, tg_diags *diags)
{
    const tg_extents extents = tg_extents_of(shape);
    return check_size(&axe->d, &extents, diags);
}

static tg_status cut_within(const tg_iter *it, int dim, int64_t left, tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "the layout has no groups of this shape: dimension %d, of which %lld are left, "
                   "meets %lld:%lld@%s, and neither %lld nor %lld divides the other",
                   dim, (long long)left, (long long)it->extent, (long long)it->stride,
                   it->stride ? tg_axes[it->axis].name : "none", (long long)left,
                   (long long)it->extent);
}

/* Sizes are the same, so iters and dimensions end together.  Strides times extents fit, since the iters
 * have fitted. */
tg_status tg_iters_group(const tg_iters *d, const tg_extents *extents, tg_groups *out,
                         tg_diags *diags)
{
    tg_iters fused;
    int next = 0;
    TG_TRY(check_size(d, extents, diags));
    tg_iters_copy(d, &fused);
    tg_iters_fuse(&fused);
    out->d.count = 0;
    out->rank = extents->rank;
    for (int dim = 0; dim < extents->rank; dim++) {
        out->first[dim] = out->d.count;
        for (int64_t left = extents->extent[dim]; left > 1;) {
            tg_iter *it = &fused.list[next];
            const int64_t taken = left < it->extent ? left : it->extent;
            if (left % taken != 0 || it->extent % taken != 0)
                return cut_within(it, dim, left, diags);
            it->extent /= taken;
            tg_iters_put(&out->d, taken, it->stride * it->extent, it->axis);
            left /= taken;
            if (it->extent == 1) next++;
        }
    }
    out->first[out->rank] = out->d.count;
    return TG_OK;
}

tg_status tg_axe_group(const tg_axe *axe, const tg_shape *shape, tg_groups *out, tg_diags *diags)
{
    const tg_extents extents = tg_extents_of(shape);
    return tg_iters_group(&axe->d, &extents, out, diags);
}

void tg_groups_put(const tg_groups *groups, int block, tg_iters *out)
{
    for (int i = groups->first[block]; i < groups->first[block + 1]; i++)
        out->list[out->count++] = groups->d.list[i];
}
