/* The plan as text: a line per instruction, operands as s<slot>[shape], * for those that may be in place. */
#include <inttypes.h>

#include "plan/plan.h"
#include "base/text.h"

static const char *const kind_names[TG_I_KIND_COUNT] = {
    [TG_I_GROUP] = "group",
    [TG_I_COPY] = "copy",
    [TG_I_REDUCE] = "reduce",
    [TG_I_ARG_REDUCE] = "arg_reduce",
    [TG_I_SCAN] = "scan",
    [TG_I_DOT] = "dot",
    [TG_I_GATHER] = "gather",
    [TG_I_SCATTER] = "scatter",
    [TG_I_SORT] = "sort",
    [TG_I_BITCAST] = "bitcast",
    [TG_I_DYNAMIC] = "dynamic",
    [TG_I_PROGRAM_ID] = "program_id",
    [TG_I_NUM_PROGRAMS] = "num_programs",
    [TG_I_VIEW] = "view",
    [TG_I_PART] = "part",
    [TG_I_RECAST] = "recast",
    [TG_I_SCOPE] = "scope",
    [TG_I_SCOPE_END] = "scope_end",
    [TG_I_LOAD] = "load",
    [TG_I_TARGET] = "target",
    [TG_I_STORE] = "store",
    [TG_I_ATOMIC] = "atomic",
    [TG_I_SEMAPHORE] = "semaphore",
    [TG_I_DMA] = "dma",
    [TG_I_GUARD] = "guard",
    [TG_I_PRINT] = "print",
    [TG_I_CHECK] = "check",
    [TG_I_EXCHANGE] = "exchange",
    [TG_I_JUMP] = "jump",
    [TG_I_SWITCH] = "switch",
    [TG_I_FOR_TEST] = "for_test",
    [TG_I_FOR_NEXT] = "for_next",
    [TG_I_END] = "end",
};

static void add_operand(tg_text *t, const tg_plan *plan, const char *before, const tg_operand *o)
{
    const tg_slot *slot = &plan->slots[o->slot];
    tg_text_add(t, "%s%s%" PRIu32 "%s:%s[", before, slot->kind == TG_SLOT_WORK ? "s" : "c", o->slot,
                slot->has_memory ? "*" : "", tg_dtypes[o->dtype].name);
    for (int d = 0; d < o->rank; d++) tg_text_add(t, "%s%" PRId64, d ? "," : "", o->shape[d]);
    tg_text_put(t, "]");
}

static void add_place(tg_text *t, const tg_plan *plan, const tg_group *g, tg_place place)
{
    if (place.kind == TG_PLACE_REGISTER)
        tg_text_add(t, " r%d", place.index);
    else
        add_operand(t, plan, " ",
                    place.kind == TG_PLACE_INPUT ? &g->inputs[place.index]
                                                 : &g->outputs[place.index]);
}

static void add_group(tg_text *t, const tg_plan *plan, const tg_group *g)
{
    tg_text_add(t, " of %" PRId64 " elements, %" PRIu32 " registers%s", g->count, g->register_count,
                g->is_once ? ", once" : "");
    for (uint32_t l = 0; l < g->lane_count; l++) {
        const tg_lane *lane = &g->lanes[l];
        tg_text_put(t, "\n       ");
        add_place(t, plan, g, lane->out);
        tg_text_add(t, " = %s.%s", tg_ops[lane->op].name, tg_dtypes[lane->dtype].name);
        if (lane->op == TG_OP_convert) tg_text_add(t, "->%s", tg_dtypes[lane->second].name);
        for (uint32_t i = 0; i < lane->in_count; i++) add_place(t, plan, g, lane->in[i]);
    }
}

static void add_access(tg_text *t, const tg_plan *plan, const tg_access_plan *a)
{
    if (a->root != UINT32_MAX) tg_text_add(t, " %s", plan->kernel->params[a->root].name);
    tg_text_add(t, " ref%" PRIu32 "[", a->ref);
    for (int d = 0; d < a->rank; d++) {
        const tg_access_dim *dim = &a->dims[d];
        if (d) tg_text_put(t, ", ");
        if (dim->has_operand)
            add_operand(t, plan, "", &dim->operand);
        else
            tg_text_add(t, "%" PRId64, dim->start);
        if (dim->kind == TG_INDEX_SLICE) tg_text_add(t, ":+%" PRId64, dim->size);
        if (dim->kind == TG_INDEX_SLICE && dim->stride != 1)
            tg_text_add(t, ":%" PRId64, dim->stride);
    }
    tg_text_put(t, "]");
    if (a->has_mask) add_operand(t, plan, " mask ", &a->mask);
    if (a->has_other) add_operand(t, plan, " other ", &a->other);
}

static void add_dot(tg_text *t, const tg_plan *plan, const struct tg_inst_dot *dot)
{
    add_operand(t, plan, " ", &dot->out);
    add_operand(t, plan, " = ", &dot->lhs);
    add_operand(t, plan, " x ", &dot->rhs);
    if (dot->has_addend) add_operand(t, plan, " + ", &dot->addend);
    tg_text_add(t, " in %s, b %" PRId64 " m %" PRId64 " n %" PRId64 " k %" PRId64,
                tg_dtypes[dot->acc].name, dot->b, dot->m, dot->n, dot->k);
}

static void add_sort(tg_text *t, const tg_plan *plan, const struct tg_inst_sort *sort)
{
    for (uint32_t i = 0; i < sort->count; i++) {
        add_operand(t, plan, " ", &sort->out[i]);
        add_operand(t, plan, i < sort->keys ? " from key " : " from ", &sort->in[i]);
    }
}

static void add_dynamic(tg_text *t, const tg_plan *plan, const struct tg_inst_dynamic *dynamic)
{
    add_operand(t, plan, dynamic->is_update ? " into " : " from ", &dynamic->whole);
    add_operand(t, plan, dynamic->is_update ? " put " : " take ", &dynamic->part);
}

static void add_part(tg_text *t, const tg_plan *plan, const struct tg_inst_part *part)
{
    tg_text_add(t, " ref%" PRIu32 " = part of ref%" PRIu32, part->out, part->from);
    for (int d = 0; d < part->type.rank; d++) {
        add_operand(t, plan, " from ", &part->starts[d]);
        add_operand(t, plan, " so many: ", &part->sizes[d]);
    }
}

static void add_semaphore(tg_text *t, const tg_plan *plan, const tg_inst *inst)
{
    const struct tg_inst_semaphore *semaphore = inst->as.semaphore;
    tg_text_add(t, " %s ref%" PRIu32, tg_ops[inst->op].name, semaphore->ref);
    if (inst->op == TG_OP_dma_wait)
        tg_text_add(t, " for ref%" PRIu32, semaphore->copied);
    else
        add_operand(t, plan, " ", &semaphore->value);
    if (semaphore->has_chain) add_operand(t, plan, " of chain ", &semaphore->chain);
}

static void add_recast(tg_text *t, const tg_inst *inst)
{
    const struct tg_inst_recast *recast = inst->as.recast;
    char type[TG_TYPE_TEXT];
    tg_text_add(t, " ref%" PRIu32 " = %s of ref%" PRIu32 " as %s", recast->out,
                tg_ops[inst->op].name, recast->from,
                tg_type_print(&recast->type, type, sizeof type));
}

static void add_guard(tg_text *t, const tg_plan *plan, const struct tg_inst_guard *guard)
{
    add_operand(t, plan, " ", &guard->in);
    switch (guard->kind) {
    case TG_GUARD_NOT_ZERO: tg_text_put(t, " is not 0"); return;
    case TG_GUARD_BELOW: tg_text_add(t, " is below %" PRId64, guard->limit); return;
    case TG_GUARD_MULTIPLE:
        tg_text_add(t, " begins with a multiple of %" PRId64, guard->limit);
        return;
    }
}

static void add_details(tg_text *t, const tg_plan *plan, const tg_inst *inst)
{
    switch (inst->kind) {
    case TG_I_GROUP: add_group(t, plan, inst->as.group); return;
    case TG_I_COPY:
        add_operand(t, plan, " to ", &inst->as.copy->to);
        add_operand(t, plan, " from ", &inst->as.copy->from);
        return;
    case TG_I_REDUCE:
    case TG_I_ARG_REDUCE:
    case TG_I_SCAN:
        tg_text_add(t, " %s", tg_ops[inst->op].name);
        add_operand(t, plan, " ", &inst->as.reduce->out);
        add_operand(t, plan, " from ", &inst->as.reduce->in);
        return;
    case TG_I_DOT: add_dot(t, plan, inst->as.dot); return;
    case TG_I_GATHER:
        add_operand(t, plan, " ", &inst->as.gather->out);
        add_operand(t, plan, " from ", &inst->as.gather->in);
        add_operand(t, plan, " at ", &inst->as.gather->indices);
        return;
    case TG_I_SCATTER:
        add_operand(t, plan, " into ", &inst->as.scatter->out);
        add_operand(t, plan, " put ", &inst->as.scatter->updates);
        add_operand(t, plan, " at ", &inst->as.scatter->indices);
        return;
    case TG_I_SORT: add_sort(t, plan, inst->as.sort); return;
    case TG_I_BITCAST:
        add_operand(t, plan, " ", &inst->as.bitcast->out);
        add_operand(t, plan, " from ", &inst->as.bitcast->in);
        return;
    case TG_I_DYNAMIC: add_dynamic(t, plan, inst->as.dynamic); return;
    case TG_I_PROGRAM_ID:
    case TG_I_NUM_PROGRAMS:
        add_operand(t, plan, " ", &inst->as.grid->out);
        tg_text_add(t, " axis %d", inst->as.grid->axis);
        return;
    case TG_I_VIEW:
        tg_text_add(t, " ref%" PRIu32 " =", inst->as.view->out);
        add_access(t, plan, &inst->as.view->access);
        return;
    case TG_I_PART: add_part(t, plan, inst->as.part); return;
    case TG_I_SEMAPHORE: add_semaphore(t, plan, inst); return;
    case TG_I_DMA:
        tg_text_add(t, " ref%" PRIu32 " to ref%" PRIu32 " signals ref%" PRIu32, inst->as.dma->from,
                    inst->as.dma->to, inst->as.dma->semaphore);
        return;
    case TG_I_RECAST: add_recast(t, inst); return;
    case TG_I_SCOPE:
    case TG_I_SCOPE_END:
        tg_text_add(t, " ref%" PRIu32 " in s%" PRIu32, inst->as.scope->out, inst->as.scope->slot);
        return;
    case TG_I_LOAD:
    case TG_I_TARGET:
    case TG_I_STORE:
    case TG_I_ATOMIC:
        add_access(t, plan, &inst->as.access->access);
        add_operand(t, plan, inst->kind == TG_I_LOAD ? " to " : " from ", &inst->as.access->value);
        if (inst->as.access->has_old) add_operand(t, plan, " old to ", &inst->as.access->old);
        return;
    case TG_I_EXCHANGE:
        tg_text_add(t, " s%" PRIu32 " s%" PRIu32, inst->as.exchange.a, inst->as.exchange.b);
        return;
    case TG_I_JUMP: tg_text_add(t, " %" PRIu32, inst->as.jump.target); return;
    case TG_I_SWITCH:
        add_operand(t, plan, " on ", &inst->as.on->on);
        for (uint32_t i = 0; i < inst->as.on->target_count; i++)
            tg_text_add(t, " %" PRIu32, inst->as.on->targets[i]);
        return;
    case TG_I_FOR_TEST:
    case TG_I_FOR_NEXT:
        add_operand(t, plan, " ", &inst->as.loop->counter);
        tg_text_add(t, " %s %" PRIu32, inst->kind == TG_I_FOR_TEST ? "else" : "again",
                    inst->as.loop->target);
        return;
    case TG_I_GUARD: add_guard(t, plan, inst->as.guard); return;
    case TG_I_CHECK: add_operand(t, plan, " ", &inst->as.print->condition); /* fall through */
    case TG_I_PRINT: tg_text_add(t, " \"%s\"", inst->as.print->format); return;
    case TG_I_END:
    case TG_I_KIND_COUNT: return;
    }
}

static void add_code(tg_text *t, const tg_plan *plan, const tg_code *code)
{
    for (uint32_t i = 0; i < code->count; i++) {
        const tg_inst *inst = &code->list[i];
        const tg_loc *loc = &plan->module->locs[inst->loc];
        tg_text_add(t, "%5" PRIu32 "  %s", i, kind_names[inst->kind]);
        add_details(t, plan, inst);
        if (loc->line) tg_text_add(t, "  # %s:%" PRId64, loc->file, loc->line);
        tg_text_put(t, "\n");
    }
}

static void add_mapping(tg_text *t, const tg_plan *plan, uint32_t p)
{
    const tg_mapping *map = &plan->mappings[p];
    const tg_param *param = &plan->kernel->params[p];
    if (!param->has_block) return;
    tg_text_add(t, "map %s:", param->name);
    for (int d = 0; d < param->array.rank && map->is_affine; d++) {
        tg_text_add(t, "%s %" PRId64, d ? "," : "", map->base[d]);
        for (int a = 0; a < plan->kernel->axis_count; a++)
            if (map->factor[d][a]) tg_text_add(t, " + %" PRId64 "*p%d", map->factor[d][a], a);
    }
    tg_text_put(t, "\n");
    if (!map->is_affine) add_code(t, plan, &map->code);
}

char *tg_print_plan(const tg_plan *plan)
{
    tg_text t = {0};
    tg_text_add(&t,
                "plan of %s: %" PRIu32 " instructions, %" PRIu32 " slots, %zu bytes of workspace\n",
                plan->kernel->name, plan->body.count, plan->slot_count, plan->workspace_bytes);
    for (uint32_t p = 0; p < plan->kernel->param_count; p++) add_mapping(&t, plan, p);
    add_code(&t, plan, &plan->body);
    return tg_text_finish(&t);
}
