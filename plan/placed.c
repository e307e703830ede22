#include "plan/placed.h"

#include <stdlib.h>
#include <string.h>

#include "ir/view.h"
#include "layout/address.h"
#include "plan/recast.h"

/* What is known of the plan's body, by number. */
typedef struct search {
    tg_plan *plan;
    const tg_inst **maker; /* per ref: the instruction that makes it */
    uint32_t *uses;        /* per slot: how many operands name it */
    bool *is_target;       /* per instruction: others than the one before may go there */
    bool has_async;        /* ops that run beside the program may write its memory at any time */
} search;

static void count_use(void *context, const tg_operand *o, bool is_written)
{
    (void)is_written;
    ((search *)context)->uses[o->slot]++;
}

static void note_target(void *context, uint32_t target)
{
    ((search *)context)->is_target[target] = true;
}

static void look_through(search *s)
{
    for (uint32_t at = 0; at < s->plan->body.count; at++) {
        const tg_inst *inst = &s->plan->body.list[at];
        const tg_ref_id made = tg_inst_made_ref(inst);
        if (made != UINT32_MAX) s->maker[made] = inst;
        tg_inst_operands(inst, count_use, s);
        tg_inst_targets(inst, note_target, s);
        if (inst->kind == TG_I_DMA || inst->kind == TG_I_PRODUCT) s->has_async = true;
    }
}

/* ---- accesses ---- */

static bool is_whole(const tg_access_plan *a)
{
    if (!a->is_fixed || a->has_mask || !tg_is_native(a->dtype)) return false;
    for (int d = 0; d < a->rank; d++)
        if (a->dims[d].start != 0 || a->dims[d].stride != 1 || a->dims[d].size != a->ref_shape[d])
            return false;
    return true;
}

/* Whether the layout fills the memory: each element has a place of its own, and there are no others. */
static bool fills(const struct tg_inst_recast *recast)
{
    const int64_t count = tg_type_count(&recast->type);
    return recast->runs && count == tg_type_count(&recast->from_type) &&
           count == tg_axe_reach(recast->layout) && tg_recast_is_apart(recast->layout);
}

/* The layout by which the access moves the whole block from or to scoped memory; else NULL. */
static const struct tg_inst_recast *placed_by(const search *s, const struct tg_inst_access *access)
{
    const tg_inst *view = s->maker[access->access.ref];
    if (access->has_old || !is_whole(&access->access) || !view || view->kind != TG_I_RECAST ||
        !view->as.recast->layout || !fills(view->as.recast))
        return NULL;
    return view->as.recast->is_of_scope ? view->as.recast : NULL;
}

static bool are_alike(const struct tg_inst_recast *a, const struct tg_inst_recast *b)
{
    const int64_t count = tg_type_count(&a->type);
    return a->run == b->run && count == tg_type_count(&b->type) &&
           memcmp(a->runs, b->runs, (size_t)(count / a->run) * sizeof *a->runs) == 0;
}

/* ---- operands of a group ---- */

/* Where the operands of a group are. */
typedef struct places {
    const struct tg_inst_recast *layout; /* of all blocks; NULL: none has been found yet */
    tg_placed_block list[TG_MOST_PLACED];
    struct tg_inst_access *access[TG_MOST_PLACED]; /* that of each */
    uint32_t count, input_count;
} places;

static bool is_splat(const tg_operand *o)
{
    for (int d = 0; d < o->rank; d++)
        if (o->shape[d] != 1 && o->stride[TG_STORAGE_DENSE][d] != 0) return false;
    return true;
}

static bool is_dense(const tg_operand *o, int storage)
{
    int64_t dense[TG_MAX_RANK];
    tg_dense_strides(o->rank, o->shape, dense);
    for (int d = 0; d < o->rank; d++)
        if (o->shape[d] != 1 && o->stride[storage][d] != dense[d]) return false;
    return o->offset[storage] == 0;
}

/* Adds the operand, which only the access names beside the group. */
static bool add_place(const search *s, places *p, const tg_operand *o,
                      struct tg_inst_access *access)
{
    const struct tg_inst_recast *by = placed_by(s, access);
    if (!by || p->count == TG_MOST_PLACED || s->uses[o->slot] != 2 ||
        !is_dense(o, TG_STORAGE_DENSE) || (p->layout && !are_alike(p->layout, by)))
        return false;
    p->layout = by;
    p->access[p->count] = access;
    p->list[p->count++] = (tg_placed_block){o->slot, by->from};
    return true;
}

/* The load of the slot before instruction `at`, if nothing in between writes memory, and all of it is
 * executed after the load. */
static struct tg_inst_access *find_load(const search *s, uint32_t at, tg_slot_id slot)
{
    while (at > 0 && !s->is_target[at]) {
        const tg_inst *inst = &s->plan->body.list[--at];
        if (inst->kind == TG_I_LOAD && inst->as.access->value.slot == slot) return inst->as.access;
        if (inst->kind != TG_I_LOAD && inst->kind != TG_I_GROUP && inst->kind != TG_I_SCOPE &&
            inst->kind != TG_I_RECAST)
            break;
    }
    return NULL;
}

static bool add_inputs(const search *s, places *p, uint32_t at, const tg_group *g)
{
    for (uint32_t i = 0; i < g->input_count; i++) {
        const tg_operand *o = &g->inputs[i];
        if (is_splat(o)) continue;
        struct tg_inst_access *load = find_load(s, at, o->slot);
        if (!load || !add_place(s, p, o, load)) return false;
    }
    p->input_count = p->count;
    return true;
}

static bool has_memory(const places *p, tg_ref_id memory)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->list[i].memory == memory) return true;
    return false;
}

/* The stores of the outputs follow the group, and go to other memory than what it still reads. */
static bool add_outputs(const search *s, places *p, uint32_t at, const tg_group *g)
{
    for (uint32_t i = 0; i < g->output_count; i++) {
        if (++at == s->plan->body.count || s->is_target[at]) return false;
        const tg_inst *inst = &s->plan->body.list[at];
        if (inst->kind != TG_I_STORE) return false;
        struct tg_inst_access *store = inst->as.access;
        const tg_operand *o = NULL;
        for (uint32_t k = 0; k < g->output_count; k++)
            if (g->outputs[k].slot == store->value.slot) o = &g->outputs[k];
        const struct tg_inst_recast *by = o ? placed_by(s, store) : NULL;
        if (!by || has_memory(p, by->from) || !is_dense(&store->value, TG_STORAGE_DENSE) ||
            !add_place(s, p, o, store))
            return false;
    }
    return true;
}

/* Each op depends on its operands only. */
static bool has_operands(const tg_group *g)
{
    for (uint32_t i = 0; i < g->op_count; i++)
        if (!g->ops[i].in_count) return false;
    return !g->may_be_in_memory;
}

static tg_status examine(const search *s, uint32_t at)
{
    tg_group *g = s->plan->body.list[at].as.group;
    places p = {0};
    if (!has_operands(g) || !add_inputs(s, &p, at, g) || !p.count || !add_outputs(s, &p, at, g) ||
        tg_type_count(&p.layout->type) != g->count)
        return TG_OK;
    g->placed = tg_arena_take(&s->plan->arena, p.count, sizeof *g->placed);
    if (!g->placed) return TG_ERR_NO_MEMORY;
    memcpy(g->placed, p.list, p.count * sizeof *g->placed);
    g->placed_count = p.count;
    for (uint32_t i = 0; i < p.count; i++) p.access[i]->is_placed = true;
    return TG_OK;
}

static void note_scope(const search *s, struct tg_inst_recast *recast)
{
    const tg_inst *maker = s->maker[recast->from];
    recast->is_of_scope = maker && maker->kind == TG_I_SCOPE;
}

static void note_list(const search *s, struct tg_inst_access *access)
{
    const struct tg_inst_recast *by = placed_by(s, access);
    if (!by || by->has_steps) return;
    for (int v = 0; v < TG_STORAGE_COUNT; v++)
        access->moves_all[v] =
            (v == TG_STORAGE_DENSE || s->plan->slots[access->value.slot].has_memory) &&
            is_dense(&access->value, v);
}

tg_status tg_plan_find_placed(tg_plan *plan)
{
    search s = {.plan = plan,
                .maker = calloc(plan->ref_count + 1, sizeof *s.maker),
                .uses = calloc(plan->slot_count + 1, sizeof *s.uses),
                .is_target = calloc(plan->body.count + 1, sizeof *s.is_target)};
    tg_status status = s.maker && s.uses && s.is_target ? TG_OK : TG_ERR_NO_MEMORY;
    if (status == TG_OK) look_through(&s);
    for (uint32_t at = 0; status == TG_OK && at < plan->body.count; at++) {
        const tg_inst *inst = &plan->body.list[at];
        if (inst->kind == TG_I_RECAST) note_scope(&s, inst->as.recast);
        if (inst->kind == TG_I_LOAD || inst->kind == TG_I_STORE) note_list(&s, inst->as.access);
        if (inst->kind == TG_I_GROUP && !s.has_async) status = examine(&s, at);
    }
    free(s.maker);
    free(s.uses);
    free(s.is_target);
    return status;
}
