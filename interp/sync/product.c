/* Products beside the threads (dot_start), and arrivals behind them (dot_arrive). */
#include <stdlib.h>

#include "interp/state/handlers.h"
#include "interp/state/operand.h"
#include "interp/sync/async.h"
#include "interp/sync/async_block.h"
#include "interp/sync/async_op.h"
#include "interp/sync/semaphore.h"

/* The memory of the op itself as a ref. */
static tg_ref ref_to_value(unsigned char *value, const tg_type *type)
{
    tg_ref ref = {.data = value, .is_inside = true};
    tg_dense_strides(type->rank, type->shape, ref.stride);
    for (int d = 0; d < type->rank; d++) ref.shape[d] = ref.high[d] = type->shape[d];
    return ref;
}

/* Keeps the value of the left factor as it is now. */
static bool keep_value(tg_machine *m, tg_async_op *product)
{
    const tg_async_place *lhs = &product->inst->as.async->source[0];
    product->value =
        malloc((size_t)tg_type_count(&lhs->type) * tg_dtypes[lhs->type.dtype].bytes + 1);
    product->notes = calloc(m->launch->detectors.count + 1, sizeof *product->notes);
    if (!product->value || !product->notes) return false;
    product->note_count = m->launch->detectors.count;
    const tg_view value = tg_operand_view(m, &lhs->value);
    const tg_ref ref = ref_to_value(product->value, &lhs->type);
    return tg_async_block_keep(m, &value, lhs->type.dtype, product->value) &&
           tg_async_side_init(&product->source[0], m, &ref, &lhs->type);
}

void tg_exec_arrival(tg_machine *m, const tg_inst *inst)
{
    tg_async_op arrival;
    const bool is_made = tg_async_make(m, inst, &arrival);
    arrival.signal = tg_semaphore_at(m, inst->as.async->signal);
    /* Without a barrier, which has been reported, nothing arrives. */
    const bool is_real = is_made && arrival.signal;
    if (is_real && tg_async_start(m, &arrival)) return;
    if (is_real || !is_made) m->launch->findings->is_incomplete = true;
    tg_async_free(&arrival);
}

void tg_exec_product(tg_machine *m, const tg_inst *inst)
{
    tg_async_op product;
    bool is_made = tg_async_make(m, inst, &product);
    if (inst->as.async->source[0].is_value) is_made = keep_value(m, &product) && is_made;
    if (is_made && tg_async_start(m, &product)) return;
    m->launch->findings->is_incomplete = true;
    tg_async_free(&product);
}
