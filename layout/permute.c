#include "layout/permute.h"

#include "layout/group.h"

static tg_status check_permutation(const tg_shape *shape, const tg_shape *permutation,
                                   tg_diags *diags)
{
    uint32_t seen = 0;
    bool right = permutation->rank == shape->rank;
    for (int i = 0; right && i < shape->rank; i++) {
        const int64_t dim = permutation->extent[i];
        right = dim >= 0 && dim < shape->rank && !(seen >> dim & 1);
        if (right) seen |= UINT32_C(1) << dim;
    }
    if (right) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL,
                   "that is no permutation of %d dimensions: each from 0 on, once", shape->rank);
}

tg_status tg_axe_permute(const tg_axe *axe, const tg_shape *shape, const tg_shape *permutation,
                         tg_axe *out, tg_diags *diags)
{
    tg_groups groups;
    tg_axe result;
    TG_TRY(check_permutation(shape, permutation, diags));
    TG_TRY(tg_axe_group(axe, shape, &groups, diags));
    tg_axe_copy(axe, &result);
    result.d.count = 0;
    for (int i = 0; i < shape->rank; i++)
        tg_groups_put(&groups, (int)permutation->extent[i], &result.d);
    tg_axe_copy(&result, out);
    return TG_OK;
}

static void put_memory(const tg_iters *iters, tg_iters *out)
{
    for (int i = 0; i < iters->count; i++) {
        const tg_iter it = iters->list[i];
        if (it.axis == TG_AXIS_NONE || tg_axes[it.axis].kind == TG_AXIS_MEMORY)
            out->list[out->count++] = it;
    }
}

void tg_axe_storage(const tg_axe *axe, tg_axe *out)
{
    tg_axe result;
    tg_axe_begin(&result);
    put_memory(&axe->d, &result.d);
    put_memory(&axe->r, &result.r);
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (tg_axes[a].kind == TG_AXIS_MEMORY) result.offset[a] = axe->offset[a];
    result.swizzle = axe->swizzle;
    tg_axe_copy(&result, out);
}
