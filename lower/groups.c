#include "lower/groups.h"

#include <string.h>

#include "lower/base.h"
#include "lower/dot_sum.h"
#include "lower/nodes.h"

enum { GROUP_MOST_LANES = 192 };

typedef struct builder {
    tg_lowerer *l;
    tg_group *group;
    tg_node_id members[GROUP_MOST_LANES]; /* ascending, so every node comes after those it uses */
    uint32_t count;
    uint32_t uses[GROUP_MOST_LANES]; /* of each member, by members */
    uint32_t last_use[GROUP_MOST_LANES];
    tg_place place[GROUP_MOST_LANES];
    bool is_free[GROUP_MOST_LANES]; /* registers */
} builder;

static void add_member(builder *b, tg_node_id id)
{
    tg_node *node = &b->l->nodes[id];
    if (node->is_ready || node->mark || b->count == GROUP_MOST_LANES) return;
    node->mark = 1;
    b->members[b->count++] = id;
}

static void sort_members(builder *b)
{
    for (uint32_t i = 1; i < b->count; i++) {
        tg_node_id id = b->members[i];
        uint32_t at = i;
        for (; at > 0 && b->members[at - 1] > id; at--) b->members[at] = b->members[at - 1];
        b->members[at] = id;
    }
    for (uint32_t i = 0; i < b->count; i++) b->l->nodes[b->members[i]].mark = i + 1;
}

/* All pending nodes that the roots need, as far as one group holds them. */
static void collect(builder *b, const tg_node_id *roots, uint32_t root_count)
{
    for (uint32_t r = 0; r < root_count; r++) add_member(b, roots[r]);
    for (uint32_t m = 0; m < b->count; m++) {
        const tg_node *node = &b->l->nodes[b->members[m]];
        for (uint32_t i = 0; i < node->in_count; i++) add_member(b, node->in[i]);
    }
    sort_members(b);
}

/* What the group, being full, needs from outside and is not ready; UINT32_MAX where nothing is
 * missing. */
static tg_node_id missing(const builder *b)
{
    for (uint32_t m = 0; m < b->count; m++) {
        const tg_node *node = &b->l->nodes[b->members[m]];
        for (uint32_t i = 0; i < node->in_count; i++) {
            const tg_node *in = &b->l->nodes[node->in[i]];
            if (!in->is_ready && !in->mark) return node->in[i];
        }
    }
    return UINT32_MAX;
}

/* What is missing is made ready first.  That may make members and roots ready too:
 * collects anew. */
static void collect_whole(builder *b, const tg_node_id *roots, uint32_t root_count)
{
    for (;;) {
        collect(b, roots, root_count);
        tg_node_id first = missing(b);
        if (first == UINT32_MAX || b->l->failed) return;
        for (uint32_t m = 0; m < b->count; m++) b->l->nodes[b->members[m]].mark = 0;
        b->count = 0;
        tg_lower_ready(b->l, &first, 1, NULL);
    }
}

static void count_uses(builder *b)
{
    for (uint32_t m = 0; m < b->count; m++) {
        const tg_node *node = &b->l->nodes[b->members[m]];
        for (uint32_t i = 0; i < node->in_count; i++) {
            uint32_t mark = b->l->nodes[node->in[i]].mark;
            if (!mark) continue;
            b->uses[mark - 1]++;
            b->last_use[mark - 1] = m;
        }
    }
}

static bool same_operand(const tg_operand *a, const tg_operand *b)
{
    return a->slot == b->slot && a->dtype == b->dtype && a->rank == b->rank &&
           memcmp(a->shape, b->shape, sizeof a->shape) == 0 &&
           memcmp(a->offset, b->offset, sizeof a->offset) == 0 &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0;
}

static uint16_t add_operand(builder *b, tg_operand *list, uint32_t *count,
                            const tg_operand *operand)
{
    for (uint32_t i = 0; i < *count; i++)
        if (same_operand(&list[i], operand)) return (uint16_t)i;
    if (b->l->plan->slots[operand->slot].has_memory) b->group->may_be_in_memory = true;
    list[*count] = *operand;
    return (uint16_t)(*count)++;
}

static uint16_t take_register(builder *b)
{
    for (uint32_t r = 0; r < b->group->register_count; r++)
        if (b->is_free[r]) {
            b->is_free[r] = false;
            return (uint16_t)r;
        }
    return (uint16_t)b->group->register_count++;
}

static tg_place place_of_input(builder *b, tg_node_id id)
{
    const tg_node *node = &b->l->nodes[id];
    if (node->mark) return b->place[node->mark - 1];
    uint16_t index = add_operand(b, b->group->inputs, &b->group->input_count, &node->at);
    return (tg_place){TG_PLACE_INPUT, index};
}

static void release_registers(builder *b, const tg_node *node, uint32_t m)
{
    for (uint32_t i = 0; i < node->in_count; i++) {
        uint32_t mark = b->l->nodes[node->in[i]].mark;
        if (!mark || b->last_use[mark - 1] != m) continue;
        tg_place place = b->place[mark - 1];
        if (place.kind == TG_PLACE_REGISTER) b->is_free[place.index] = true;
    }
}

static tg_place place_of_output(builder *b, uint32_t m, const tg_operand *dest, bool is_wanted)
{
    tg_node *node = &b->l->nodes[b->members[m]];
    if (!is_wanted) return (tg_place){TG_PLACE_REGISTER, take_register(b)};
    node->at =
        dest ? *dest
             : tg_lower_dense(tg_lower_slot(b->l, node->type.dtype, tg_type_count(&node->type)),
                              &node->type);
    uint16_t index = add_operand(b, b->group->outputs, &b->group->output_count, &node->at);
    return (tg_place){TG_PLACE_OUTPUT, index};
}

/* The operand that root `id` is to be computed into, if the caller chose one. */
static const tg_operand *dest_of(tg_node_id id, const tg_node_id *roots, uint32_t count,
                                 const tg_operand *const *dest, bool *is_root)
{
    *is_root = false;
    for (uint32_t r = 0; r < count; r++)
        if (roots[r] == id) {
            *is_root = true;
            return dest ? dest[r] : NULL;
        }
    return NULL;
}

static void add_lane(builder *b, uint32_t m, const tg_operand *dest, bool is_root)
{
    const tg_node *node = &b->l->nodes[b->members[m]];
    tg_group_op *op = &b->group->ops[m];
    *op = (tg_group_op){.op = node->op,
                        .dtype = node->dtype,
                        .second = node->second,
                        .loc = node->loc,
                        .imm = node->imm,
                        .in_count = node->in_count};
    op->in = tg_lower_take(b->l, node->in_count, sizeof *op->in);
    if (!op->in) return;
    for (uint32_t i = 0; i < node->in_count; i++) op->in[i] = place_of_input(b, node->in[i]);
    /* The result gets its register first: elements of other sizes must not share one. */
    op->out = b->place[m] = place_of_output(b, m, dest, is_root || node->uses > b->uses[m]);
    release_registers(b, node, m);
}

/* The members are no longer pending: those with an output are ready, and the uses they made are
 * over. */
static void settle(builder *b)
{
    for (uint32_t m = 0; m < b->count; m++) {
        tg_node *node = &b->l->nodes[b->members[m]];
        node->mark = 0;
        node->is_ready = b->place[m].kind == TG_PLACE_OUTPUT;
        for (uint32_t i = 0; i < node->in_count; i++)
            if (b->l->nodes[node->in[i]].uses) b->l->nodes[node->in[i]].uses--;
    }
}

/* A group for the members, all of them in the shape of `type`, with its lists still empty. */
static tg_group *new_group(builder *b, const tg_type *type)
{
    tg_lowerer *l = b->l;
    uint32_t most_inputs = 0;
    for (uint32_t m = 0; m < b->count; m++) most_inputs += l->nodes[b->members[m]].in_count;
    tg_group *group = tg_lower_take(l, 1, sizeof *group);
    if (!group) return NULL;
    group->op_count = b->count;
    group->ops = tg_lower_take(l, b->count, sizeof *group->ops);
    group->inputs = tg_lower_take(l, most_inputs, sizeof *group->inputs);
    group->outputs = tg_lower_take(l, b->count, sizeof *group->outputs);
    group->rank = type->rank;
    memcpy(group->shape, type->shape, sizeof group->shape);
    group->count = tg_type_count(type);
    return l->failed ? NULL : group;
}

static void emit_group(tg_lowerer *l, const tg_node_id *roots, uint32_t root_count,
                       const tg_operand *const *dest)
{
    builder *b = tg_lower_scratch(l, 1, sizeof *b);
    if (!b) return;
    b->l = l;
    collect_whole(b, roots, root_count);
    if (l->failed || b->count == 0) return;
    count_uses(b);
    tg_group *group = b->group = new_group(b, &l->nodes[roots[0]].type);
    if (!group) return;
    for (uint32_t m = 0; m < b->count; m++) {
        bool is_root;
        const tg_operand *to = dest_of(b->members[m], roots, root_count, dest, &is_root);
        add_lane(b, m, to, is_root);
    }
    if (l->failed) return;
    if (!tg_lower_dot_sum(l, &l->nodes[b->members[0]], group))
        tg_lower_emit(l, TG_I_GROUP, l->nodes[roots[0]].op, l->nodes[roots[0]].loc)->as.group =
            group;
    settle(b);
}

void tg_lower_ready(tg_lowerer *l, const tg_node_id *nodes, uint32_t count,
                    const tg_operand *const *dest)
{
    for (uint32_t first = 0; first < count && !l->failed; first++) {
        if (l->nodes[nodes[first]].is_ready) continue;
        tg_node_id roots[16] = {0};
        const tg_operand *to[16] = {0};
        uint32_t root_count = 0;
        for (uint32_t i = first; i < count && root_count < 16; i++) {
            if (l->nodes[nodes[i]].is_ready) continue;
            if (!tg_same_shape(&l->nodes[nodes[i]].type, &l->nodes[nodes[first]].type)) continue;
            to[root_count] = dest ? dest[i] : NULL;
            roots[root_count++] = nodes[i];
        }
        emit_group(l, roots, root_count, to);
    }
}

tg_operand tg_lower_at(tg_lowerer *l, tg_node_id node)
{
    tg_lower_ready(l, &node, 1, NULL);
    return l->failed ? tg_lower_dense(0, &l->nodes[node].type) : l->nodes[node].at;
}

tg_operand tg_lower_operand(tg_lowerer *l, tg_value_id v)
{
    return tg_lower_at(l, l->value_node[v]);
}

tg_node_id tg_lower_as_shape(tg_lowerer *l, tg_node_id id, int rank, const int64_t *shape)
{
    tg_type wanted = {.rank = rank, .dtype = l->nodes[id].type.dtype};
    memcpy(wanted.shape, shape, (size_t)rank * sizeof *shape);
    if (tg_same_shape(&wanted, &l->nodes[id].type)) return id;
    tg_operand from = tg_lower_at(l, id), to = from;
    if (l->failed) return id;
    to.rank = rank;
    memset(to.stride, 0, sizeof to.stride);
    memset(to.shape, 0, sizeof to.shape);
    memcpy(to.shape, wanted.shape, (size_t)rank * sizeof *shape);
    for (int d = 0; d < from.rank; d++) {
        int at = rank - from.rank + d;
        if (from.shape[d] == 1 && shape[at] != 1) continue;
        for (int v = 0; v < TG_STORAGE_COUNT; v++) to.stride[v][at] = from.stride[v][d];
    }
    return tg_lower_leaf(l, &wanted, to, 1);
}
