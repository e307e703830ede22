#include "lower/operands.h"

#include <string.h>

#include "lower/base.h"

void tg_lower_copy(tg_lowerer *l, tg_operand to, tg_operand from, const tg_op *op)
{
    struct tg_inst_copy *copy = tg_lower_take(l, 1, sizeof *copy);
    if (!copy) return;
    copy->to = to;
    copy->from = from;
    tg_lower_emit(l, TG_I_COPY, op->code, op->loc)->as.copy = copy;
}

tg_operand tg_operand_reshaped(const tg_operand *from, const tg_type *type)
{
    tg_operand to = *from;
    to.rank = type->rank;
    to.dtype = type->dtype;
    memset(to.shape, 0, sizeof to.shape);
    memset(to.stride, 0, sizeof to.stride);
    memcpy(to.shape, type->shape, (size_t)type->rank * sizeof to.shape[0]);
    return to;
}

tg_operand tg_operand_part(const tg_operand *from, const tg_type *type, const int64_t *start,
                           const int64_t *stride)
{
    tg_operand to = tg_operand_reshaped(from, type);
    for (int d = 0; d < to.rank; d++)
        for (int v = 0; v < TG_STORAGE_COUNT; v++) {
            to.offset[v] += start[d] * from->stride[v][d];
            to.stride[v][d] = from->stride[v][d] * (stride ? stride[d] : 1);
        }
    return to;
}

tg_operand tg_lower_reshape(tg_lowerer *l, tg_operand from, const tg_type *type, const tg_op *op)
{
    tg_operand to = tg_operand_reshaped(&from, type);
    if (tg_type_count(type) == 0) return to;
    bool fits = true;
    for (int v = 0; v < TG_STORAGE_COUNT && fits; v++)
        if (v == TG_STORAGE_DENSE || l->plan->slots[from.slot].has_memory)
            fits = tg_reshape_strides(from.rank, from.shape, from.stride[v], to.rank, to.shape,
                                      to.stride[v]);
    if (fits) return to;
    tg_type shape = {.dtype = from.dtype, .rank = from.rank};
    memcpy(shape.shape, from.shape, sizeof shape.shape);
    tg_slot_id slot = tg_lower_slot(l, from.dtype, tg_type_count(type));
    tg_lower_copy(l, tg_lower_dense(slot, &shape), from, op);
    return tg_lower_dense(slot, type);
}

bool tg_operand_merges(const tg_operand *o, int first, int count, int64_t stride[TG_STORAGE_COUNT])
{
    for (int v = 0; v < TG_STORAGE_COUNT; v++) {
        int64_t extent = 1;
        stride[v] = 0;
        for (int d = first + count - 1; d >= first; d--) {
            if (o->shape[d] == 1) continue;
            if (extent == 1)
                stride[v] = o->stride[v][d];
            else if (o->stride[v][d] != stride[v] * extent)
                return false;
            extent *= o->shape[d];
        }
    }
    return true;
}
