#include "plan/recast.h"

#include <string.h>

#include "ir/type.h"
#include "layout/map.h"

int64_t tg_recast_number(const struct tg_inst_recast *recast, int64_t number)
{
    if (!recast->layout) return number;
    if (recast->numbers) return recast->numbers[number];
    tg_coordinate at;
    tg_axe_map(recast->layout, number, 0, &at);
    return at.at[TG_AXIS_m];
}

static bool has_same_width(const struct tg_inst_recast *recast)
{
    return tg_dtypes[recast->type.dtype].bytes == tg_dtypes[recast->from_type.dtype].bytes;
}

static bool has_strides(const struct tg_inst_recast *recast, const int64_t *from, bool is_whole,
                        int64_t *stride)
{
    const tg_type *type = &recast->type, *from_type = &recast->from_type;
    if (!has_same_width(recast)) return false;
    if (tg_type_count(type) > 0)
        return is_whole && tg_reshape_strides(from_type->rank, from_type->shape, from, type->rank,
                                              type->shape, stride);
    memcpy(stride, from,
           (size_t)type->rank * sizeof *stride); /* no elements: any strides are right */
    return true;
}

tg_recast_way tg_recast_strides(tg_opcode op, const struct tg_inst_recast *recast,
                                const int64_t *from, bool is_whole, int64_t *stride)
{
    const tg_type *type = &recast->type;
    if (op == TG_OP_view_transpose) {
        for (int d = 0; d < type->rank; d++) stride[d] = from[recast->permutation[d]];
        return TG_RECAST_PERMUTED;
    }
    if (op == TG_OP_view_bitcast && has_same_width(recast)) {
        memcpy(stride, from, (size_t)type->rank * sizeof *stride);
        return TG_RECAST_SAME;
    }
    if (op != TG_OP_view_layout && has_strides(recast, from, is_whole, stride))
        return TG_RECAST_STRIDED;
    tg_dense_strides(type->rank, type->shape, stride);
    return TG_RECAST_NUMBERED;
}
