#include "lower/scopes.h"

#include "lower/base.h"
#include "lower/groups.h"
#include "lower/overwritten.h"
#include "lower/refs.h"
#include "lower/region.h"

void tg_lower_op_scoped(tg_lowerer *l, const tg_op *op)
{
    const tg_region *region = &op->regions[0];
    struct tg_inst_scope **scopes = tg_lower_take(l, region->arg_count, sizeof *scopes);
    if (l->failed) return;
    for (uint32_t i = 0; i < region->arg_count && !l->failed; i++) {
        scopes[i] = tg_lower_scope(l, op, region->args[i]);
        if (scopes[i])
            scopes[i]->is_overwritten = tg_lower_is_overwritten(l, region, 0, region->args[i]);
    }
    tg_lower_region(l, region);
    tg_node_id *nodes = tg_lower_take(l, region->yield_count, sizeof *nodes);
    if (l->failed) return;
    for (uint32_t i = 0; i < region->yield_count; i++)
        nodes[i] = l->value_node[op->out[i]] = l->value_node[region->yields[i]];
    tg_lower_ready(l, nodes, region->yield_count, NULL);
    for (uint32_t i = 0; i < region->arg_count; i++) tg_lower_scope_end(l, op, scopes[i]);
}
