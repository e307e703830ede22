#include "interp/sync/async_value.h"

#include <stdlib.h>

#include "interp/state/operand.h"
#include "interp/sync/async_block.h"

/* The memory of the op itself as a ref. */
static tg_ref ref_to_value(unsigned char *value, const tg_type *type)
{
    tg_ref ref = {.data = value, .is_inside = true};
    tg_dense_strides(type->rank, type->shape, ref.stride);
    for (int d = 0; d < type->rank; d++) ref.shape[d] = ref.high[d] = type->shape[d];
    return ref;
}

bool tg_async_keep_value(tg_machine *m, tg_async_op *op)
{
    const tg_async_place *from = &op->inst->as.async->source[0];
    op->value = malloc((size_t)tg_type_count(&from->type) * tg_dtypes[from->type.dtype].bytes + 1);
    op->notes = calloc(m->launch->detectors.count + 1, sizeof *op->notes);
    if (!op->value || !op->notes) return false;
    op->note_count = m->launch->detectors.count;
    const tg_view value = tg_operand_view(m, &from->value);
    const tg_ref ref = ref_to_value(op->value, &from->type);
    return tg_async_block_keep(m, &value, from->type.dtype, op->value) &&
           tg_async_side_init(&op->source[0], m, &ref, &from->type);
}
