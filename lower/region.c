#include "lower/region.h"

#include "lower/base.h"
#include "lower/groups.h"
#include "lower/refs.h"

void tg_lower_count_uses(tg_lowerer *l, const tg_region *region)
{
    for (uint32_t i = 0; i < region->yield_count; i++) l->value_uses[region->yields[i]]++;
    for (uint32_t o = region->op_count; o-- > 0;) {
        const tg_op *op = &region->ops[o];
        bool is_live = !tg_op_may_be_dropped(op->code);
        for (uint32_t i = 0; i < op->out_count; i++) is_live |= l->value_uses[op->out[i]] > 0;
        if (!is_live) continue;
        for (uint32_t i = 0; i < op->out_count; i++) l->value_op[op->out[i]] = op;
        for (uint32_t r = 0; r < op->region_count; r++) tg_lower_count_uses(l, &op->regions[r]);
        for (uint32_t i = 0; i < op->in_count; i++) l->value_uses[op->in[i]]++;
    }
}

static bool is_dead(const tg_lowerer *l, const tg_op *op)
{
    if (!tg_op_may_be_dropped(op->code)) return false;
    for (uint32_t i = 0; i < op->out_count; i++)
        if (l->value_uses[op->out[i]]) return false;
    return true;
}

typedef struct node_list {
    tg_node_id *list;
    uint32_t count, capacity;
} node_list;

static void push_node(tg_lowerer *l, node_list *nodes, tg_node_id id)
{
    tg_node_id *list = tg_lower_grow(l, nodes->list, nodes->count, &nodes->capacity, sizeof id);
    if (!list) return;
    nodes->list = list;
    nodes->list[nodes->count++] = id;
}

static void collect_value(tg_lowerer *l, node_list *nodes, tg_value_id v)
{
    tg_node_id id = l->value_node[v];
    if (id == UINT32_MAX || l->nodes[id].is_ready) return;
    for (uint32_t i = 0; i < nodes->count; i++)
        if (nodes->list[i] == id) return;
    push_node(l, nodes, id);
}

static void collect_region(tg_lowerer *l, node_list *nodes, const tg_region *region)
{
    for (uint32_t o = 0; o < region->op_count; o++) {
        const tg_op *op = &region->ops[o];
        for (uint32_t i = 0; i < op->in_count; i++) collect_value(l, nodes, op->in[i]);
        for (uint32_t r = 0; r < op->region_count; r++) collect_region(l, nodes, &op->regions[r]);
    }
    for (uint32_t i = 0; i < region->yield_count; i++) collect_value(l, nodes, region->yields[i]);
}

void tg_lower_captured(tg_lowerer *l, const tg_op *op)
{
    node_list nodes = {0};
    for (uint32_t r = 0; r < op->region_count; r++) collect_region(l, &nodes, &op->regions[r]);
    tg_lower_ready(l, nodes.list, nodes.count, NULL);
}

void tg_lower_region(tg_lowerer *l, const tg_region *region)
{
    tg_alloc *const outer = l->allocs;
    const tg_region *const outer_region = l->region;
    l->region = region;
    l->last_dot = TG_NO_NODE;
    l->region_start = l->inst_count;
    l->allocs = NULL;
    for (uint32_t o = 0; o < region->op_count && !l->failed; o++) {
        const tg_op *op = &region->ops[o];
        if (!is_dead(l, op)) l->lower_op[op->code](l, op);
    }
    for (; l->allocs; l->allocs = l->allocs->next)
        tg_lower_scope_end(l, l->allocs->op, l->allocs->scope);
    l->allocs = outer;
    l->region = outer_region;
}
