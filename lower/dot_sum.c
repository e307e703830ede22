#include "lower/dot_sum.h"

#include <string.h>

/* Whether the rows of the operand, an m x n matrix, are dense in both storages. */
static bool has_dense_rows(const tg_operand *o)
{
    for (int v = 0; v < TG_STORAGE_COUNT; v++)
        if (o->stride[v][1] != 1) return false;
    return true;
}

/* Returns the instruction of the dot whose result is `last_dot`, if at most a TARGET instruction
 * follows it; else NULL. */
static tg_inst *last_dot(tg_lowerer *l)
{
    tg_inst *last = l->insts + l->inst_count;
    for (int i = 0; i < 2 && last > l->insts; i++) {
        if ((--last)->kind == TG_I_DOT) return last;
        if (last->kind != TG_I_TARGET) break;
    }
    return NULL;
}

static bool is_same_place(const tg_access_plan *a, const tg_access_plan *b)
{
    if (a->ref != b->ref || !a->is_fixed || !b->is_fixed || a->has_mask || b->has_mask)
        return false;
    for (int d = 0; d < a->rank; d++)
        if (a->dims[d].start != b->dims[d].start || a->dims[d].size != b->dims[d].size ||
            a->dims[d].stride != b->dims[d].stride)
            return false;
    return true;
}

/* Lets the dot read the addend in place if nothing else uses it, it was loaded from the memory that
 * the target chooses for the sum, and only loads are in between: then it need not be copied
 * first. */
static void add_in_place(tg_lowerer *l, struct tg_inst_dot *dot, const tg_inst *target,
                         tg_node_id addend)
{
    if (l->nodes[addend].uses != 1 || dot->k > TG_DOT_IN_PLACE) return;
    const tg_inst *inst = target;
    while (inst > l->insts + l->region_start && (--inst)->kind == TG_I_LOAD) {
        struct tg_inst_access *load = inst->as.access;
        if (l->value_node[load->source->out[0]] != addend) continue;
        if (!is_same_place(&load->access, &target->as.access->access)) return;
        load->may_be_in_place = load->is_brief = true;
        l->plan->slots[load->value.slot].has_memory = true;
        memcpy(load->value.stride, dot->out.stride, sizeof load->value.stride);
        dot->addend = load->value;
        return;
    }
}

bool tg_lower_dot_sum(tg_lowerer *l, const tg_node *sum, const tg_group *group)
{
    const tg_node_id result = l->last_dot;
    if (result == TG_NO_NODE || sum->op != TG_OP_add || group->op_count != 1 ||
        group->input_count != 2 || l->nodes[result].uses != 1)
        return false;
    const bool is_second = sum->in[1] == result;
    const tg_operand *out = &group->outputs[0];
    const tg_node_id addend = sum->in[is_second ? 0 : 1];
    tg_inst *inst = last_dot(l);
    if (!inst || (!is_second && sum->in[0] != result)) return false;
    struct tg_inst_dot *dot = inst->as.dot;
    const bool is_matrix = out->rank == 2 && dot->b == 1 && dot->m == out->shape[0];
    if (!is_matrix || dot->n == 1 || dot->k == 0 || !has_dense_rows(&l->nodes[addend].at) ||
        !has_dense_rows(out))
        return false;
    dot->has_addend = true;
    dot->addend = l->nodes[addend].at;
    dot->out = *out;
    if (inst + 1 < l->insts + l->inst_count) {
        const tg_inst moved = *inst;
        inst[1].as.access->is_of_dot = true;
        inst[0] = inst[1];
        inst[1] = moved;
        add_in_place(l, dot, inst, addend);
    }
    return true;
}
