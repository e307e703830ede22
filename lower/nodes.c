#include "lower/nodes.h"

#include <string.h>

#include "lower/base.h"

static tg_node_id new_node(tg_lowerer *l, const tg_node *node)
{
    tg_node *nodes = tg_lower_grow(l, l->nodes, l->node_count, &l->node_capacity, sizeof *l->nodes);
    if (!nodes) return 0;
    l->nodes = nodes;
    l->nodes[l->node_count] = *node;
    return l->node_count++;
}

tg_node_id tg_lower_leaf(tg_lowerer *l, const tg_type *type, tg_operand at, uint32_t uses)
{
    tg_node node = {.type = *type, .is_ready = true, .at = at, .uses = uses};
    return new_node(l, &node);
}

tg_node_id tg_lower_pending(tg_lowerer *l, const tg_node *node, const tg_node_id *in)
{
    tg_node copy = *node;
    copy.in = tg_lower_take(l, node->in_count, sizeof *in);
    if (!copy.in) return 0;
    memcpy(copy.in, in, node->in_count * sizeof *in);
    return new_node(l, &copy);
}

tg_operand tg_lower_fresh(tg_lowerer *l, tg_value_id v, uint32_t uses)
{
    const tg_type *type = tg_type_of(l->kernel, v);
    tg_operand at = tg_lower_dense(tg_lower_slot(l, type->dtype, tg_type_count(type)), type);
    l->value_node[v] = tg_lower_leaf(l, type, at, uses);
    return at;
}

tg_operand tg_lower_result(tg_lowerer *l, tg_value_id v)
{
    return tg_lower_fresh(l, v, l->value_uses[v]);
}

void tg_lower_set_value(tg_lowerer *l, tg_value_id v, tg_operand at)
{
    l->value_node[v] = tg_lower_leaf(l, tg_type_of(l->kernel, v), at, l->value_uses[v]);
}

void tg_lower_set_node(tg_lowerer *l, const tg_op *op, tg_node_id node)
{
    l->nodes[node].uses = l->value_uses[op->out[0]];
    l->value_node[op->out[0]] = node;
}

void tg_lower_forward(tg_lowerer *l, const tg_op *op)
{
    tg_node_id in = l->value_node[op->in[0]];
    l->value_node[op->out[0]] = in;
    l->nodes[in].uses += l->value_uses[op->out[0]];
}

tg_node_id tg_lower_splat(tg_lowerer *l, const tg_type *type, const void *carrier)
{
    tg_operand at = tg_lower_dense(tg_lower_constant(l, type->dtype, 1, carrier), type);
    memset(at.stride, 0, sizeof at.stride);
    return tg_lower_leaf(l, type, at, 1);
}

tg_node_id tg_lower_convert(tg_lowerer *l, tg_node_id id, tg_dtype dtype, uint32_t loc)
{
    if (l->nodes[id].type.dtype == dtype) return id;
    tg_node node = {.type = l->nodes[id].type,
                    .op = TG_OP_convert,
                    .dtype = l->nodes[id].type.dtype,
                    .second = dtype,
                    .loc = loc,
                    .in_count = 1,
                    .uses = 1};
    node.type.dtype = dtype;
    return tg_lower_pending(l, &node, &id);
}
