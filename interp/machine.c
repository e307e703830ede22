/* The machine's loop, its memory, and the instructions that are a line or two each. */
#include "interp/machine.h"

#include <stdlib.h>
#include <string.h>

#include "interp/ahead.h"
#include "checks/duplicates.h"
#include "checks/revisits.h"
#include "interp/windows.h"
#include "checks/traps.h"
#include "checks/undefined.h"
#include "interp/panels.h"
#include "interp/spin.h"
#include "interp/turn.h"
#include "report/print.h"

/* ---- instructions ---- */

static void run_copy(tg_machine *m, const struct tg_inst_copy *copy)
{
    tg_view from = tg_operand_view(m, &copy->from);
    tg_copy_view(tg_operand_at(m, &copy->to), copy->to.stride[m->layout[copy->to.slot]], &from,
                 tg_carrier_bytes[tg_carrier_of(copy->to.dtype)]);
}

static void run_reduce(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_reduce *reduce = inst->as.reduce;
    tg_view in = tg_operand_view(m, &reduce->in);
    void *out = tg_operand_at(m, &reduce->out);
    const tg_lanes *lanes = m->launch->lanes;
    if (inst->kind == TG_I_REDUCE)
        tg_reduce(lanes, inst->op, reduce->in.dtype, &in, reduce->axes, out, m->extra);
    else if (inst->kind == TG_I_SCAN)
        tg_scan(lanes, inst->op, reduce->in.dtype, &in, reduce->axis, reduce->reverse, out,
                m->extra);
    else
        tg_arg_reduce(inst->op, reduce->in.dtype, &in, reduce->axis, reduce->out.dtype, out);
}

tg_dot_shape tg_dot_shape_of(const struct tg_inst_dot *dot, int lhs, int rhs)
{
    return (tg_dot_shape){.b = dot->b,
                          .m = dot->m,
                          .n = dot->n,
                          .k = dot->k,
                          .lhs_b = dot->lhs_stride[lhs][0],
                          .lhs_m = dot->lhs_stride[lhs][1],
                          .lhs_k = dot->lhs_stride[lhs][2],
                          .rhs_b = dot->rhs_stride[rhs][0],
                          .rhs_k = dot->rhs_stride[rhs][1],
                          .rhs_n = dot->rhs_stride[rhs][2]};
}

static void run_dot(tg_machine *m, const struct tg_inst_dot *dot)
{
    tg_dot_shape shape = tg_dot_shape_of(dot, m->layout[dot->lhs.slot], m->layout[dot->rhs.slot]);
    const void *lhs = tg_operand_at(m, &dot->lhs), *rhs = tg_operand_at(m, &dot->rhs);
    void *out = tg_operand_at(m, &dot->out);
    tg_panels_use(m, dot, lhs, rhs, &shape);
    if (!dot->has_addend) {
        tg_dot(m->launch->lanes, dot->acc, &shape, lhs, rhs, out, m->extra);
        return;
    }
    const tg_dot_sum sum = {.addend = tg_operand_at(m, &dot->addend),
                            .addend_row = dot->addend.stride[m->layout[dot->addend.slot]][0],
                            .out_row = dot->out.stride[m->layout[dot->out.slot]][0]};
    tg_dot_add(m->launch->lanes, dot->acc, &shape, lhs, rhs, &sum, out, m->extra);
}

/* dynamic_slice, dynamic_update_slice: the start is clamped so that the part lies inside the whole. */
static void run_dynamic(tg_machine *m, const struct tg_inst_dynamic *dynamic)
{
    size_t bytes = tg_carrier_bytes[tg_carrier_of(dynamic->whole.dtype)];
    tg_view whole = tg_operand_view(m, &dynamic->whole), part = tg_operand_view(m, &dynamic->part);
    int64_t offset = 0;
    for (int d = 0; d < whole.rank; d++) {
        int64_t start = tg_operand_int(m, &dynamic->starts[d]),
                most = whole.shape[d] - part.shape[d];
        start = start < 0 ? 0 : start > most ? most : start;
        offset += start * whole.stride[d];
        whole.shape[d] = part.shape[d];
    }
    unsigned char *at = tg_operand_at(m, &dynamic->whole) + offset * (int64_t)bytes;
    if (dynamic->is_update) {
        tg_copy_view(at, whole.stride, &part, bytes);
        return;
    }
    whole.data = at;
    tg_copy_view(tg_operand_at(m, &dynamic->part), part.stride, &whole, bytes);
}

static tg_view printed_view(const void *context, const struct tg_inst_print *print, uint32_t i)
{
    const tg_machine *m = context;
    return tg_operand_view(m, &print->in[i]);
}

static void run_print(tg_machine *m, const struct tg_inst_print *print)
{
    if (!m->launch->print) return;
    char *text = tg_print_values(print, printed_view, m, "\n");
    pthread_mutex_lock(&m->launch->atomics); /* one call at a time */
    m->launch->print(m->launch->print_context, text ? text : "(out of memory)\n");
    pthread_mutex_unlock(&m->launch->atomics);
    free(text);
}

static void run_check(tg_machine *m, const tg_inst *inst)
{
    if (tg_operand_int(m, &inst->as.print->condition)) return;
    char *text = tg_print_values(inst->as.print, printed_view, m, "");
    tg_machine_found(m, TG_FINDING_CHECK_FAILED, inst, NULL, "%s", text ? text : "(out of memory)");
    free(text);
}

static uint32_t choose_branch(tg_machine *m, const struct tg_inst_switch *on)
{
    int64_t index = tg_operand_int(m, &on->on);
    if (index < 0 || index >= on->target_count) index = on->target_count - 1;
    return on->targets[index];
}

/* A bound of a loop; those of u64 are moved down by half their range, so that they compare as signed. */
static int64_t bound_of(const tg_machine *m, const tg_operand *o)
{
    if (tg_carrier_of(o->dtype) != TG_C_u64) return tg_operand_int(m, o);
    return (int64_t)(*(const uint64_t *)(const void *)tg_operand_at(m, o) + ((uint64_t)1 << 63));
}

static uint32_t test_for(tg_machine *m, const tg_inst *inst, uint32_t next)
{
    const struct tg_inst_for *loop = inst->as.loop;
    int64_t step = tg_operand_int(m, &loop->step);
    bool goes_on = bound_of(m, &loop->counter) < bound_of(m, &loop->upper);
    if (goes_on && step <= 0) {
        tg_machine_found(m, TG_FINDING_ENDLESS_LOOP, inst, NULL,
                         "for: the step is %lld; it must be at least 1.  The loop was left out",
                         (long long)step);
        return loop->target;
    }
    return goes_on ? next : loop->target;
}

static void exchange(tg_machine *m, const struct tg_inst_exchange *e)
{
    void *a = m->slot[e->a];
    m->slot[e->a] = m->slot[e->b];
    m->slot[e->b] = a;
}

/* The counter stops at `upper` at the latest, so that it cannot wrap around. */
static void count_on(tg_machine *m, const struct tg_inst_for *loop)
{
    uint64_t left = (uint64_t)bound_of(m, &loop->upper) - (uint64_t)bound_of(m, &loop->counter);
    uint64_t step = (uint64_t)tg_operand_int(m, &loop->step), counter;
    counter = (uint64_t)bound_of(m, &loop->counter) + (step < left ? step : left);
    if (tg_carrier_of(loop->counter.dtype) == TG_C_u64) counter -= (uint64_t)1 << 63;
    tg_operand_set_int(m, &loop->counter, (int64_t)counter);
}

/* Performs an instruction that neither jumps nor touches memory that others see. */
static void perform_inner(tg_machine *m, const tg_inst *inst, const tg_bound_group *group)
{
    switch (inst->kind) {
    case TG_I_GROUP: tg_group_run(m, group); return;
    case TG_I_COPY: run_copy(m, inst->as.copy); return;
    case TG_I_REDUCE:
    case TG_I_ARG_REDUCE:
    case TG_I_SCAN:
        run_reduce(m, inst);
        tg_ahead_fetch(m);
        return;
    case TG_I_DOT: run_dot(m, inst->as.dot); return;
    case TG_I_GATHER: tg_gather_run(m, inst->as.gather); return;
    case TG_I_SCATTER:
        if (m->launch->finds_duplicates) tg_duplicates_of_scatter(m, inst);
        tg_scatter_run(m, inst->as.scatter);
        return;
    case TG_I_SORT: tg_sort_run(m, inst->as.sort); return;
    case TG_I_BITCAST: tg_bitcast_run(m, inst->as.bitcast); return;
    case TG_I_DYNAMIC: run_dynamic(m, inst->as.dynamic); return;
    case TG_I_PROGRAM_ID:
        tg_operand_set_int(m, &inst->as.grid->out, m->program[inst->as.grid->axis]);
        return;
    case TG_I_NUM_PROGRAMS:
        tg_operand_set_int(m, &inst->as.grid->out, m->launch->grid[inst->as.grid->axis]);
        return;
    case TG_I_VIEW: tg_ref_view(m, inst); return;
    case TG_I_RECAST: tg_ref_recast(m, inst); return;
    case TG_I_PART: tg_ref_part(m, inst); return;
    case TG_I_SCOPE: tg_ref_scope(m, inst); return;
    case TG_I_SCOPE_END: tg_dma_scope_end(m, inst); return;
    case TG_I_GUARD: tg_guard_run(m, inst); return;
    case TG_I_PRINT: run_print(m, inst->as.print); return;
    case TG_I_CHECK: run_check(m, inst); return;
    case TG_I_EXCHANGE: exchange(m, &inst->as.exchange); return;
    default: return;
    }
}

static bool is_visible(const tg_inst *inst)
{
    if (inst->kind == TG_I_STORE) return !inst->as.access->may_be_in_place; /* its TARGET was */
    return inst->kind == TG_I_LOAD || inst->kind == TG_I_TARGET || inst->kind == TG_I_ATOMIC ||
           inst->kind == TG_I_SEMAPHORE || inst->kind == TG_I_DMA;
}

/* Runs from m->pc; with `stops`, up to the first visible event after the one it starts at. */
static tg_step execute(tg_machine *m, const tg_code *code, const tg_bound_code *bound)
{
    uint32_t pc = m->pc;
    bool has_begun = false;
    tg_step step;
    for (;;) {
        const tg_inst *inst = &code->list[pc];
        if (m->stops && is_visible(inst)) {
            if (has_begun) break;
            has_begun = true;
        }
        uint32_t next = pc + 1;
        if (m->dmas.count) tg_dma_before(m, inst, is_visible(inst));
        if (m->launch->trace) tg_machine_trace_begin(m, code, pc);
        if (m->has_shadows) tg_shadows_step(m, inst, &bound->groups[pc]);
        const bool traps = m->launch->traps && !tg_traps_before(m, inst);
        switch (inst->kind) {
        case TG_I_LOAD: tg_access_load(m, inst); break;
        case TG_I_TARGET: tg_access_target(m, inst); break;
        case TG_I_STORE:
            if (m->launch->finds_duplicates) tg_duplicates_of_store(m, inst);
            tg_access_store(m, inst);
            break;
        case TG_I_ATOMIC: tg_access_atomic(m, inst); break;
        case TG_I_DMA: tg_dma_start(m, inst); break;
        case TG_I_SEMAPHORE: {
            tg_wait wait = tg_semaphore_run(m, inst);
            if (wait == TG_WAIT_OVER) break;
            m->pc = pc;
            return wait == TG_WAIT_LATER        ? TG_STEP_READY
                   : wait == TG_WAIT_FOR_OTHERS ? TG_STEP_WAITING
                                                : TG_STEP_BLOCKED;
        }
        case TG_I_JUMP:
            next = inst->as.jump.target;
            if (next > pc) break;
            m->pc = next;
            if ((step = tg_while_turn(m, code, inst)) != TG_STEP_READY) return step;
            break;
        case TG_I_SWITCH: next = choose_branch(m, inst->as.on); break;
        case TG_I_FOR_TEST: next = test_for(m, inst, next); break;
        case TG_I_FOR_NEXT:
            count_on(m, inst->as.loop);
            next = inst->as.loop->target;
            if ((step = tg_loop_turn(m, inst)) != TG_STEP_READY) return step;
            break;
        case TG_I_END: m->pc = pc; return TG_STEP_DONE;
        default: perform_inner(m, inst, &bound->groups[pc]); break;
        }
        if (traps) tg_traps_after(m, inst);
        if (m->traced) tg_machine_trace_end(m);
        pc = next;
    }
    m->pc = pc;
    return TG_STEP_READY;
}

tg_step tg_machine_run(tg_machine *m)
{
    if (m->stopped_in) return TG_STEP_STOPPED; /* in an index map */
    return execute(m, &m->launch->plan->body, &m->launch->body);
}

void tg_machine_execute(tg_machine *m, const tg_code *code, const tg_bound_code *bound)
{
    bool stops = m->stops;
    m->stops = false;
    m->is_in_map = true;
    m->pc = 0;
    execute(m, code, bound);
    m->is_in_map = false;
    m->stops = stops;
}

/* ---- a machine's life ---- */

enum { ALIGN = 64 };

static size_t aligned(size_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

static void fill_undefined_slots(tg_machine *m)
{
    const tg_plan *plan = m->launch->plan;
    for (uint32_t s = 0; s < plan->slot_count; s++) {
        const tg_slot *slot = &plan->slots[s];
        if (slot->kind == TG_SLOT_WORK) m->slot[s] = m->workspace + slot->offset;
        if (slot->kind == TG_SLOT_CONSTANT) m->slot[s] = slot->data;
        if (slot->kind != TG_SLOT_UNDEFINED) continue;
        m->slot[s] = &m->undefined[s];
        tg_launch_fill(m->launch, &m->undefined[s], slot->dtype, 1);
    }
}

/* Memory that is dealt out part by part; without a base it is only measured. */
typedef struct deal {
    unsigned char *base;
    size_t used;
    bool is_too_much;
} deal;

static void *part_of(deal *d, size_t bytes)
{
    void *const part = d->base ? d->base + d->used : NULL;
    if (bytes > SIZE_MAX / 4 || d->used > SIZE_MAX / 4)
        d->is_too_much = true;
    else
        d->used += aligned(bytes);
    return part;
}

/* Where the parts of a machine are; returns how many bytes at the beginning start as zeros. */
static size_t deal_out(tg_machine *m, const tg_launch *launch, deal *d)
{
    const size_t slots = launch->plan->slot_count, operands = launch->most_operands;
    m->slot = part_of(d, slots * sizeof *m->slot);
    m->layout = part_of(d, slots * sizeof *m->layout);
    m->is_kept = part_of(d, slots * sizeof *m->is_kept);
    m->undefined = part_of(d, slots * sizeof *m->undefined);
    m->refs = part_of(d, launch->plan->ref_count * sizeof *m->refs);
    m->stride = part_of(d, operands * TG_MAX_RANK * sizeof *m->stride);
    m->pointer = part_of(d, operands * sizeof *m->pointer);
    m->operand_layout = part_of(d, operands * sizeof *m->operand_layout);
    m->way = part_of(d, operands * sizeof *m->way);
    m->ahead = part_of(d, launch->plan->kernel->param_count * sizeof *m->ahead);
    const size_t zeros = d->used;
    m->strips = part_of(d, launch->strip_bytes);
    m->scratch = part_of(d, launch->scratch_bytes);
    m->workspace = part_of(d, launch->plan->workspace_bytes);
    m->extra = part_of(d, launch->extra_bytes);
    return zeros;
}

tg_machine *tg_machine_new(tg_launch *launch)
{
    tg_machine parts = {0};
    deal all = {.used = aligned(sizeof parts)};
    const size_t zeros = deal_out(&parts, launch, &all);
    unsigned char *memory = all.is_too_much ? NULL : malloc(all.used + ALIGN);
    if (!memory) return NULL;
    all = (deal){.base = memory + (ALIGN - (uintptr_t)memory % ALIGN) % ALIGN,
                 .used = aligned(sizeof parts)};
    memset(all.base, 0, zeros);
    tg_machine *m = (void *)all.base;
    m->launch = launch;
    m->memory = memory;
    deal_out(m, launch, &all);
    fill_undefined_slots(m);
    if (tg_shadows_init(m) && (!launch->has_windows || tg_windows_init(m)) &&
        (!tg_revisits_are_needed(launch) || tg_revisits_init(m)))
        return m;
    tg_machine_free(m);
    return NULL;
}

void tg_machine_finish_scratch(tg_machine *m)
{
    const tg_kernel *k = m->launch->plan->kernel;
    tg_dma_finish(m, true);
    if (m->revisits) tg_revisits_end(m);
    for (uint32_t p = 0; m->launch->scratch_bytes && p < k->param_count; p++)
        if (k->params[p].role == TG_ROLE_SCRATCH && tg_is_semaphore(k->params[p].array.dtype))
            tg_semaphores_end(m, NULL, &k->params[p],
                              (const void *)(m->scratch + m->launch->scratch_offset[p]),
                              tg_type_count(&k->params[p].array));
}

void tg_machine_free(tg_machine *m)
{
    if (!m) return;
    tg_dmas_free(&m->dmas);
    free(m->signals.list);
    tg_shadows_free(m);
    tg_revisits_free(m);
    tg_windows_free(m);
    tg_panels_free(m);
    tg_spin_free(m->spin);
    free(m->memory);
}
