#include "lower/effects.h"

#include <string.h>

#include "lower/base.h"

static void note_access(tg_lowerer *l, const tg_op *op, const uint32_t *root_of)
{
    for (uint32_t i = 0; i < tg_op_refs_of(op); i++) {
        const uint32_t root = root_of[op->in[i]];
        if (root == UINT32_MAX) continue;
        const unsigned effects = tg_op_effects_on(op, i);
        if (effects & (TG_TRAIT_READS | TG_TRAIT_ATOMIC)) l->plan->is_read[root] = true;
        if (effects & (TG_TRAIT_WRITES | TG_TRAIT_ATOMIC)) l->plan->is_written[root] = true;
    }
}

static void note_region(tg_lowerer *l, const tg_region *region, uint32_t *root_of)
{
    for (uint32_t o = 0; o < region->op_count; o++) {
        const tg_op *op = &region->ops[o];
        if (tg_is_view_op(op->code))
            root_of[op->out[0]] = root_of[op->in[0]];
        else
            note_access(l, op, root_of);
        for (uint32_t r = 0; r < op->region_count; r++) note_region(l, &op->regions[r], root_of);
    }
}

void tg_lower_note_accesses(tg_lowerer *l)
{
    const tg_kernel *k = l->kernel;
    uint32_t *root_of = tg_lower_scratch(l, k->value_count, sizeof *root_of);
    if (!root_of) return;
    memset(root_of, 0xff, k->value_count * sizeof *root_of);
    for (uint32_t p = 0; p < k->param_count; p++) root_of[k->body.args[p]] = p;
    note_region(l, &k->body, root_of);
    for (uint32_t p = 0; p < k->param_count; p++) {
        int alias = k->params[p].alias;
        if (alias < 0) continue;
        l->plan->is_read[p] |= l->plan->is_read[alias];
        l->plan->is_written[p] |= l->plan->is_written[alias];
        l->plan->is_read[alias] = l->plan->is_read[p];
        l->plan->is_written[alias] = l->plan->is_written[p];
    }
}
