#include "physical/copies.h"

#include <stdlib.h>
#include <string.h>

#include "layout/address.h"
#include "layout/group.h"
#include "layout/legal/tma.h"

/* A dimension of the box: an iter of the block's layout. */
typedef struct box_dim {
    int64_t extent, shared, global; /* steps in shared memory and in the array, in elements */
} box_dim;

typedef struct box {
    int count;
    box_dim dims[TG_AXE_MAX_ITERS];
} box;

static int by_shared_step(const void *a, const void *b)
{
    const box_dim *left = a, *right = b;
    return (left->shared < right->shared) - (left->shared > right->shared);
}

/* Each dimension of the block, without those that are squeezed, and its step in the array. */
static int block_dims(const tg_param *param, tg_shape *shape, int64_t step[TG_MAX_RANK])
{
    int64_t dense[TG_MAX_RANK] = {0};
    int rank = 0;
    tg_dense_strides(param->array.rank, param->array.shape, dense);
    for (int d = 0; d < param->array.rank; d++) {
        if (param->has_block && param->block[d].kind == TG_BLOCK_SQUEEZED) continue;
        step[rank] = dense[d];
        shape->extent[rank] = param->ref.shape[rank];
        rank++;
    }
    shape->rank = rank;
    return rank;
}

/* The box whose rows are, one after the other, what is in shared memory. */
static tg_status find_box(const tg_param *param, const tg_axe *address, box *out, tg_diags *diags)
{
    tg_shape shape;
    tg_groups groups;
    int64_t step[TG_MAX_RANK];
    const int rank = block_dims(param, &shape, step);
    TG_TRY(tg_axe_group(address, &shape, &groups, diags));
    out->count = 0;
    for (int d = 0; d < rank; d++) {
        int64_t inner = shape.extent[d];
        for (int i = groups.first[d]; i < groups.first[d + 1]; i++) {
            const tg_iter it = groups.d.list[i];
            inner /= it.extent;
            out->dims[out->count++] = (box_dim){it.extent, it.stride, inner * step[d]};
        }
    }
    qsort(out->dims, (size_t)out->count, sizeof *out->dims, by_shared_step);
    int64_t dense = 1;
    for (int i = out->count - 1; i >= 0; i--) {
        if (out->dims[i].shared != dense)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "what is copied has no gaps in shared memory, and lies there once: "
                           "%lld elements are %lld apart, not %lld",
                           (long long)out->dims[i].extent, (long long)out->dims[i].shared,
                           (long long)dense);
        dense *= out->dims[i].extent;
    }
    return TG_OK;
}

/* The swizzle in bytes: bits 4 and up of the address change by bits 7 and up. */
static tg_status find_swizzle(const tg_swizzle *swizzle, int bits, int *out, tg_diags *diags)
{
    enum { CHUNK_BITS = 128, SHIFT = 3, MOST_BITS = 3 };
    *out = 0;
    if (!swizzle->bits) return TG_OK;
    if (swizzle->shift != SHIFT || swizzle->bits > MOST_BITS ||
        (INT64_C(1) << swizzle->base) * bits != CHUNK_BITS)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "Sw<%d,%d,%d> of elements of %d bits is no swizzle of 32, 64 or 128 bytes",
                       swizzle->bits, swizzle->base, swizzle->shift, bits);
    *out = 16 << swizzle->bits;
    return TG_OK;
}

static tg_status check_copy(const tg_param *param, tg_diags *diags)
{
    const int bits = tg_dtypes[param->array.dtype].bits;
    tg_axe address;
    box b;
    tg_tma tma = {.bits = bits};
    TG_TRY(tg_axe_address(param->layout, bits, &address, diags));
    TG_TRY(find_swizzle(&address.swizzle, bits, &tma.swizzle, diags));
    TG_TRY(find_box(param, &address, &b, diags));
    if (b.count > TG_SHAPE_MAX_RANK)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "a box has at most 5 dimensions, not %d",
                       b.count);
    tma.size.rank = b.count;
    tma.shared_address = address.offset[TG_AXIS_m] * bits / 8;
    for (int i = 0; i < b.count; i++) {
        tma.size.extent[i] = tma.box[i] = b.dims[i].extent;
        tma.stride[i] = b.dims[i].global;
        tma.element_stride[i] = 1;
    }
    return tg_tma_check(&tma, true, diags);
}

void tg_copy_check(tg_demands *d, uint32_t index)
{
    const tg_param *param = &d->held.kernel->params[index];
    tg_diags diags = {0};
    if (!param->layout || !param->space || strcmp(param->space, "smem") != 0 ||
        (param->role != TG_ROLE_INPUT && param->role != TG_ROLE_OUTPUT))
        return;
    if (check_copy(param, &diags) == TG_ERR_NO_MEMORY) d->problems->failed = true;
    for (size_t i = 0; i < diags.count; i++)
        tg_problem_tell_param(
            d->problems, TG_PROBLEM_ILLEGAL, index,
            "the block of %s cannot be copied to shared memory as its layout says: "
            "%s",
            param->name, diags.list[i].message);
    tg_diags_free(&diags);
}
