/* Which operands an instruction reads and which it writes. */
#include "plan/plan.h"

typedef struct visitor {
    tg_operand_fn *visit;
    void *context;
} visitor;

static void reads(const visitor *v, const tg_operand *o) { v->visit(v->context, o, false); }

static void writes(const visitor *v, const tg_operand *o) { v->visit(v->context, o, true); }

static void reads_all(const visitor *v, const tg_operand *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) reads(v, &list[i]);
}

static void writes_all(const visitor *v, const tg_operand *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) writes(v, &list[i]);
}

static void reads_access(const visitor *v, const tg_access_plan *a)
{
    for (int d = 0; d < a->rank; d++)
        if (a->dims[d].has_operand) reads(v, &a->dims[d].operand);
    if (a->has_mask) reads(v, &a->mask);
    if (a->has_other) reads(v, &a->other);
}

static void visit_access(const visitor *v, const tg_inst *inst)
{
    const struct tg_inst_access *access = inst->as.access;
    reads_access(v, &access->access);
    if (inst->kind == TG_I_LOAD)
        writes(v, &access->value);
    else
        reads(v, &access->value);
    if (inst->op == TG_OP_atomic_cas) reads(v, &access->second);
    if (access->has_old) writes(v, &access->old);
}

static void visit_dynamic(const visitor *v, const struct tg_inst_dynamic *dynamic)
{
    if (dynamic->is_update) {
        writes(v, &dynamic->whole);
        reads(v, &dynamic->part);
    } else {
        reads(v, &dynamic->whole);
        writes(v, &dynamic->part);
    }
    reads_all(v, dynamic->starts, (uint32_t)dynamic->whole.rank);
}

static void visit_loop(const visitor *v, const tg_inst *inst)
{
    const struct tg_inst_for *loop = inst->as.loop;
    if (inst->kind == TG_I_FOR_NEXT)
        writes(v, &loop->counter);
    else
        reads(v, &loop->counter);
    reads(v, &loop->upper);
    reads(v, &loop->step);
}

void tg_inst_operands(const tg_inst *inst, tg_operand_fn *visit, void *context)
{
    const visitor v = {visit, context};
    switch (inst->kind) {
    case TG_I_GROUP:
        reads_all(&v, inst->as.group->inputs, inst->as.group->input_count);
        writes_all(&v, inst->as.group->outputs, inst->as.group->output_count);
        return;
    case TG_I_COPY:
        writes(&v, &inst->as.copy->to);
        reads(&v, &inst->as.copy->from);
        return;
    case TG_I_REDUCE:
    case TG_I_ARG_REDUCE:
    case TG_I_SCAN:
        reads(&v, &inst->as.reduce->in);
        writes(&v, &inst->as.reduce->out);
        return;
    case TG_I_DOT:
        reads(&v, &inst->as.dot->lhs);
        reads(&v, &inst->as.dot->rhs);
        if (inst->as.dot->has_addend) reads(&v, &inst->as.dot->addend);
        writes(&v, &inst->as.dot->out);
        return;
    case TG_I_GATHER:
        reads(&v, &inst->as.gather->in);
        reads(&v, &inst->as.gather->indices);
        writes(&v, &inst->as.gather->out);
        return;
    case TG_I_SCATTER:
        reads(&v, &inst->as.scatter->indices);
        reads(&v, &inst->as.scatter->updates);
        writes(&v, &inst->as.scatter->out);
        return;
    case TG_I_SORT:
        reads_all(&v, inst->as.sort->in, inst->as.sort->count);
        writes_all(&v, inst->as.sort->out, inst->as.sort->count);
        return;
    case TG_I_BITCAST:
        reads(&v, &inst->as.bitcast->in);
        writes(&v, &inst->as.bitcast->out);
        return;
    case TG_I_DYNAMIC: visit_dynamic(&v, inst->as.dynamic); return;
    case TG_I_PROGRAM_ID:
    case TG_I_NUM_PROGRAMS: writes(&v, &inst->as.grid->out); return;
    case TG_I_VIEW: reads_access(&v, &inst->as.view->access); return;
    case TG_I_PART:
        reads_all(&v, inst->as.part->starts, (uint32_t)inst->as.part->type.rank);
        reads_all(&v, inst->as.part->sizes, (uint32_t)inst->as.part->type.rank);
        return;
    case TG_I_SEMAPHORE:
        if (inst->op == TG_OP_semaphore_read) writes(&v, &inst->as.semaphore->value);
        if (inst->op == TG_OP_semaphore_signal || inst->op == TG_OP_semaphore_wait)
            reads(&v, &inst->as.semaphore->value);
        if (inst->as.semaphore->has_chain) reads(&v, &inst->as.semaphore->chain);
        return;
    case TG_I_LOAD:
    case TG_I_TARGET:
    case TG_I_STORE:
    case TG_I_ATOMIC: visit_access(&v, inst); return;
    case TG_I_GUARD: reads(&v, &inst->as.guard->in); return;
    case TG_I_CHECK: reads(&v, &inst->as.print->condition); /* fall through */
    case TG_I_PRINT: reads_all(&v, inst->as.print->in, inst->as.print->in_count); return;
    case TG_I_SWITCH: reads(&v, &inst->as.on->on); return;
    case TG_I_FOR_TEST:
    case TG_I_FOR_NEXT: visit_loop(&v, inst); return;
    case TG_I_SCOPE:
    case TG_I_SCOPE_END:
    case TG_I_EXCHANGE:
    case TG_I_RECAST:
    case TG_I_DMA:
    case TG_I_JUMP:
    case TG_I_END:
    case TG_I_KIND_COUNT: return;
    }
}
