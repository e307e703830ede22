/* Prints a line per instruction, operands as s<slot>[shape], with a * if they may be in place. */
#include "plan/print.h"

#include <inttypes.h>

#include "base/text.h"
#include "layout/print.h"

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
    tg_text_add(t, " of %" PRId64 " elements, %" PRIu32 " registers%s%s", g->count,
                g->register_count, g->is_once ? ", once" : "",
                g->placed_count ? ", where they are placed" : "");
    for (uint32_t l = 0; l < g->op_count; l++) {
        const tg_group_op *op = &g->ops[l];
        tg_text_put(t, "\n       ");
        add_place(t, plan, g, op->out);
        tg_text_add(t, " = %s.%s", tg_ops[op->op].name, tg_dtypes[op->dtype].name);
        if (op->op == TG_OP_convert) tg_text_add(t, "->%s", tg_dtypes[op->second].name);
        for (uint32_t i = 0; i < op->in_count; i++) add_place(t, plan, g, op->in[i]);
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

/* ---- other text of an instruction: print_<what> for each TG_TEXT(what) of plan/insts.def ---- */

typedef struct printer {
    tg_text *t;
    const tg_plan *plan;
    const tg_inst *inst;
} printer;

static void print_group(const printer *p) { add_group(p->t, p->plan, p->inst->as.group); }

static void print_collective(const printer *p)
{
    const struct tg_inst_collective *collective = p->inst->as.collective;
    for (int axis = 0; axis < TG_MAX_AXES; axis++)
        if (collective->along >> axis & 1) tg_text_add(p->t, " %d", axis);
    if (collective->name) tg_text_add(p->t, " %s", collective->name);
}

static void print_op(const printer *p) { tg_text_add(p->t, " %s", tg_ops[p->inst->op].name); }

static void print_dot(const printer *p)
{
    const struct tg_inst_dot *dot = p->inst->as.dot;
    tg_text_add(p->t, " in %s, b %" PRId64 " m %" PRId64 " n %" PRId64 " k %" PRId64,
                tg_dtypes[dot->acc].name, dot->b, dot->m, dot->n, dot->k);
}

static void print_sort(const printer *p)
{
    const struct tg_inst_sort *sort = p->inst->as.sort;
    for (uint32_t i = 0; i < sort->count; i++) {
        add_operand(p->t, p->plan, " ", &sort->out[i]);
        add_operand(p->t, p->plan, i < sort->keys ? " from key " : " from ", &sort->in[i]);
    }
}

static void print_inline_ptx(const printer *p)
{
    const struct tg_inst_inline_ptx *inline_ptx = p->inst->as.inline_ptx;
    for (uint32_t i = 0; i < inline_ptx->out_count; i++)
        add_operand(p->t, p->plan, " ", &inline_ptx->out[i]);
    for (uint32_t i = 0; i < inline_ptx->in_count; i++)
        add_operand(p->t, p->plan, i ? " " : " from ", &inline_ptx->in[i]);
    tg_text_put(p->t, " by ");
    tg_text_quote(p->t, inline_ptx->ptx->text);
}

static void print_axis(const printer *p) { tg_text_add(p->t, " axis %d", p->inst->as.grid->axis); }

static void print_view(const printer *p)
{
    tg_text_add(p->t, " ref%" PRIu32 " =", p->inst->as.view->out);
    add_access(p->t, p->plan, &p->inst->as.view->access);
}

static void print_part(const printer *p)
{
    const struct tg_inst_part *part = p->inst->as.part;
    tg_text_add(p->t, " ref%" PRIu32 " = part of ref%" PRIu32, part->out, part->from);
    for (int d = 0; d < part->type.rank; d++) {
        add_operand(p->t, p->plan, " from ", &part->starts[d]);
        add_operand(p->t, p->plan, " so many: ", &part->sizes[d]);
    }
}

static void print_recast(const printer *p)
{
    const struct tg_inst_recast *recast = p->inst->as.recast;
    char type[TG_TYPE_TEXT];
    tg_text_add(p->t, " ref%" PRIu32 " = %s of ref%" PRIu32 " as %s", recast->out,
                tg_ops[p->inst->op].name, recast->from,
                tg_type_print(&recast->type, type, sizeof type));
    if (!recast->layout) return;
    tg_text_put(p->t, " at ");
    tg_axe_print(recast->layout, p->t);
}

static void print_scope(const printer *p)
{
    const struct tg_inst_scope *scope = p->inst->as.scope;
    tg_text_add(p->t, " ref%" PRIu32 " in s%" PRIu32, scope->out, scope->slot);
    if (scope->is_overwritten) tg_text_put(p->t, ", overwritten");
}

static void print_access(const printer *p)
{
    add_access(p->t, p->plan, &p->inst->as.access->access);
}

static void print_semaphore(const printer *p)
{
    const struct tg_inst_semaphore *semaphore = p->inst->as.semaphore;
    tg_text_add(p->t, " %s ref%" PRIu32, tg_ops[p->inst->op].name, semaphore->ref);
    if (p->inst->op == TG_OP_dma_wait) tg_text_add(p->t, " for ref%" PRIu32, semaphore->copied);
}

static void print_barrier(const printer *p)
{
    tg_text_add(p->t, " %s ref%" PRIu32, tg_ops[p->inst->op].name, p->inst->as.barrier->ref);
}

static void print_product(const printer *p)
{
    const struct tg_inst_async *product = p->inst->as.async;
    tg_text_add(p->t, " ref%" PRIu32, product->to.ref);
    if (!product->source[0].is_value) tg_text_add(p->t, " ref%" PRIu32, product->source[0].ref);
    tg_text_add(p->t, " ref%" PRIu32 "%s", product->source[1].ref,
                product->replaces ? " replaces" : "");
}

static void print_arrival(const printer *p)
{
    tg_text_add(p->t, " ref%" PRIu32, p->inst->as.async->signal);
}

static void print_dma(const printer *p)
{
    const struct tg_inst_async *dma = p->inst->as.async;
    tg_text_add(p->t, " ref%" PRIu32 " to ref%" PRIu32, dma->source[0].ref, dma->to.ref);
    if (dma->told != TG_ASYNC_TELLS_GROUP) tg_text_add(p->t, " signals ref%" PRIu32, dma->signal);
}

static void print_guard(const printer *p)
{
    const struct tg_inst_guard *guard = p->inst->as.guard;
    switch (guard->kind) {
    case TG_GUARD_NOT_ZERO: tg_text_put(p->t, " is not 0"); return;
    case TG_GUARD_BELOW: tg_text_add(p->t, " is below %" PRId64, guard->limit); return;
    case TG_GUARD_MULTIPLE:
        tg_text_add(p->t, " begins with a multiple of %" PRId64, guard->limit);
        return;
    }
}

static void print_format(const printer *p)
{
    tg_text_add(p->t, " \"%s\"", p->inst->as.print->format);
}

static void print_exchange(const printer *p)
{
    const struct tg_inst_exchange *e = &p->inst->as.exchange;
    tg_text_add(p->t, " s%" PRIu32 " s%" PRIu32, e->a, e->b);
}

/* ---- instructions ---- */

static void add_labelled(const printer *p, const char *label, const tg_operand *o)
{
    if (label) add_operand(p->t, p->plan, label, o);
}

/* One function for each kind of instruction, and a switch that calls it. */
#define TG_INST(ID, id, body, visible, traits, names)                                              \
    static void details_of_##id(const tg_inst *inst, const printer *p)                             \
    {                                                                                              \
        __auto_type const b = body;                                                                \
        (void)b, (void)p;                                                                          \
        names                                                                                      \
    }
#define TG_TEXT(what) print_##what(p);
#define TG_READS(o, label) add_labelled(p, label, &b->o);
#define TG_WRITES(o, label) add_labelled(p, label, &b->o);
#define TG_READS_IF(when, o, label)                                                                \
    if (when) add_labelled(p, label, &b->o);
#define TG_WRITES_IF(when, o, label)                                                               \
    if (when) add_labelled(p, label, &b->o);
#define TG_GOES_TO(target, label) tg_text_add(p->t, label "%" PRIu32, b->target);
#define TG_GOES_TO_ALL(list, count, label)                                                         \
    for (uint32_t i = 0; i < (count); i++) tg_text_add(p->t, label "%" PRIu32, b->list[i]);
#include "plan/insts.def"

#define DETAILS(ID, id)                                                                            \
    case TG_I_##ID: details_of_##id(inst, &p); return;

static void add_details(tg_text *t, const tg_plan *plan, const tg_inst *inst)
{
    const printer p = {t, plan, inst};
    switch (inst->kind) {
#define TG_INST(ID, id, body, visible, traits, names) DETAILS(ID, id)
#include "plan/insts.def"
    case TG_I_KIND_COUNT: return;
    }
}

static void add_code(tg_text *t, const tg_plan *plan, const tg_code *code)
{
    for (uint32_t i = 0; i < code->count; i++) {
        const tg_inst *inst = &code->list[i];
        const tg_loc *loc = &plan->module->locs[inst->loc];
        tg_text_add(t, "%5" PRIu32 "  %s", i, tg_inst_names[inst->kind]);
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
