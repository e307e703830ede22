#include "ir/first_use.h"

static bool op_uses(const tg_op *op, tg_value_id value)
{
    for (uint32_t i = 0; i < op->in_count; i++)
        if (op->in[i] == value) return true;
    for (uint32_t r = 0; r < op->region_count; r++)
        if (tg_region_first_use(&op->regions[r], 0, &value, 1)) return true;
    return false;
}

const tg_op *tg_region_first_use(const tg_region *region, uint32_t from, const tg_value_id *values,
                                 int count)
{
    for (uint32_t o = from; o < region->op_count; o++)
        for (int v = 0; v < count; v++)
            if (op_uses(&region->ops[o], values[v])) return &region->ops[o];
    return NULL;
}

bool tg_op_overwrites(const tg_kernel *kernel, const tg_op *op, tg_value_id ref)
{
    if (op->code != TG_OP_store || op->in[0] != ref) return false;
    const tg_access access = tg_op_access(op);
    const tg_type *type = &kernel->values[ref].type;
    if (access.mask >= 0) return false;
    for (int d = 0; d < access.rank; d++) {
        const tg_index_dim *dim = &access.index[d];
        if (dim->kind != TG_INDEX_SLICE || !dim->has_start || dim->start != 0 || dim->stride != 1 ||
            dim->size != type->shape[d])
            return false;
    }
    return true;
}
