#include "checks/undefined/kept.h"

#include <stdlib.h>

#include "checks/undefined/slots.h"
#include "interp/blocks/copy.h"

void tg_shadow_async_starts(tg_machine *m, const tg_async_op *op)
{
    const tg_async_place *from = &op->inst->as.async->source[0];
    tg_shadow *s = tg_shadow_of(m);
    if (!op->notes || !s->is_flagged[from->value.slot]) return;
    const tg_view words = tg_shadow_view(s, &from->value);
    int64_t dense[TG_MAX_RANK];
    uint32_t *kept = malloc(((size_t)tg_type_count(&from->type) + 1) * sizeof *kept);
    if (!kept) {
        __atomic_store_n(&s->all->is_incomplete, true, __ATOMIC_RELAXED);
        return;
    }
    tg_dense_strides(from->type.rank, from->type.shape, dense);
    tg_copy_view(kept, dense, &words, sizeof *kept);
    *tg_async_note(m, op) = kept;
}

uint32_t tg_shadow_kept(const tg_machine *m, const tg_async_op *op, const int64_t *index)
{
    const tg_type *type = &op->inst->as.async->source[0].type;
    const uint32_t *words = *tg_async_note(m, op);
    int64_t dense[TG_MAX_RANK], at = 0;
    if (!words) return 0;
    tg_dense_strides(type->rank, type->shape, dense);
    for (int d = 0; d < type->rank; d++) at += index[d] * dense[d];
    return words[at];
}
