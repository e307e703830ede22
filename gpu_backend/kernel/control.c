#include "gpu_backend/kernel/control.h"

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/place.h"
#include "gpu_backend/emit/report.h"
#include "gpu_backend/emit/scalar.h"
#include "gpu_backend/emit/trace.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/instructions/access.h"
#include "gpu_backend/instructions/atomic.h"
#include "gpu_backend/instructions/bitcast.h"
#include "gpu_backend/instructions/copy.h"
#include "gpu_backend/instructions/dma.h"
#include "gpu_backend/instructions/dot.h"
#include "gpu_backend/instructions/gather.h"
#include "gpu_backend/instructions/group.h"
#include "gpu_backend/instructions/guard.h"
#include "gpu_backend/instructions/print.h"
#include "gpu_backend/instructions/recast.h"
#include "gpu_backend/instructions/reduce.h"
#include "gpu_backend/instructions/scope.h"
#include "gpu_backend/instructions/semaphore.h"
#include "gpu_backend/instructions/sort.h"
#include "gpu_backend/instructions/view.h"
#include "gpu_backend/kernel/hazard.h"
#include "gpu_backend/text/ptx.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"

/* ---- labels ---- */

static void want(tg_ptx_emitter *em, uint32_t *at, uint32_t target)
{
    if (!at[target]) at[target] = tg_ptx_new_label(&em->w) + 1;
}

static void find_targets(tg_ptx_emitter *em, const tg_code *code, uint32_t *at)
{
    for (uint32_t pc = 0; pc < code->count; pc++) {
        const tg_inst *inst = &code->list[pc];
        if (inst->kind == TG_I_JUMP) want(em, at, inst->as.jump.target);
        if (inst->kind == TG_I_FOR_TEST || inst->kind == TG_I_FOR_NEXT)
            want(em, at, inst->as.loop->target);
        for (uint32_t i = 0; inst->kind == TG_I_SWITCH && i < inst->as.on->target_count; i++)
            want(em, at, inst->as.on->targets[i]);
    }
}

/* ---- jumps ---- */

static void jump(tg_ptx_emitter *em, const uint32_t *at, uint32_t target)
{
    tg_ptx_settle(em);
    tg_ptx_row(&em->w, "bra.uni $L%u;", at[target] - 1);
}

static void switch_on(tg_ptx_emitter *em, const struct tg_inst_switch *on, const uint32_t *at)
{
    const tg_ptx_reg index = tg_ptx_uniform_reg(em, tg_ptx_scalar(em, &on->on));
    tg_ptx_settle(em);
    for (uint32_t i = 0; i + 1 < on->target_count; i++) {
        const tg_ptx_reg p = tg_ptx_new(&em->w, TG_PTX_PRED);
        tg_ptx_row(&em->w, "setp.eq.s64 %s, %s, %u;", p.name, index.name, i);
        tg_ptx_row(&em->w, "@%s bra.uni $L%u;", p.name, at[on->targets[i]] - 1);
    }
    tg_ptx_row(&em->w, "bra.uni $L%u;", at[on->targets[on->target_count - 1]] - 1);
}

/* Leaves the loop unless counter < upper; a step that is not positive is reported and leaves it,
 * too. */
static void test_for(tg_ptx_emitter *em, const struct tg_inst_for *loop, const uint32_t *at)
{
    const char *const type = tg_carrier_of(loop->counter.dtype) == TG_C_u64 ? "u64" : "s64";
    const tg_ptx_reg counter = tg_ptx_uniform_reg(em, tg_ptx_scalar_bits(em, &loop->counter)),
                     upper = tg_ptx_uniform_reg(em, tg_ptx_scalar_bits(em, &loop->upper)),
                     p = tg_ptx_new(&em->w, TG_PTX_PRED);
    const tg_ptx_uniform step = tg_ptx_scalar(em, &loop->step);
    tg_ptx_settle(em);
    tg_ptx_row(&em->w, "setp.ge.%s %s, %s, %s;", type, p.name, counter.name, upper.name);
    tg_ptx_row(&em->w, "@%s bra.uni $L%u;", p.name, at[loop->target] - 1);
    if (step.is_known && step.known > 0) return;
    const tg_ptx_reg bad = tg_ptx_new(&em->w, TG_PTX_PRED), by = tg_ptx_uniform_reg(em, step);
    tg_ptx_row(&em->w, "setp.le.s64 %s, %s, 0;", bad.name, by.name);
    tg_ptx_report(em, TG_PTX_SITE_LOOP, bad);
    tg_ptx_row(&em->w, "@%s bra.uni $L%u;", bad.name, at[loop->target] - 1);
}

/* counter += min(step, upper - counter), so that it cannot wrap around; then back to the test. */
static void next_for(tg_ptx_emitter *em, const struct tg_inst_for *loop, const uint32_t *at)
{
    const tg_ptx_uniform counter = tg_ptx_scalar_bits(em, &loop->counter);
    const tg_ptx_reg left = tg_ptx_uniform_reg(
                         em, tg_ptx_sub(em, tg_ptx_scalar_bits(em, &loop->upper), counter)),
                     step = tg_ptx_uniform_reg(em, tg_ptx_scalar(em, &loop->step)),
                     by = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "min.u64 %s, %s, %s;", by.name, step.name, left.name);
    tg_ptx_writes(em, &loop->counter);
    tg_ptx_ready(em);
    tg_ptx_set_scalar(em, &loop->counter, tg_ptx_add(em, counter, tg_ptx_held(by)));
    jump(em, at, loop->target);
}

/* ---- small instructions ---- */

static void exchange(tg_ptx_emitter *em, tg_slot_id a, tg_slot_id b)
{
    const tg_ptx_reg kept = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_move(&em->w, kept, em->slot_base[a]);
    tg_ptx_move(&em->w, em->slot_base[a], em->slot_base[b]);
    tg_ptx_move(&em->w, em->slot_base[b], kept);
}

static void check(tg_ptx_emitter *em, const struct tg_inst_print *print)
{
    const tg_ptx_reg holds = tg_ptx_uniform_reg(em, tg_ptx_scalar(em, &print->condition)),
                     p = tg_ptx_new(&em->w, TG_PTX_PRED);
    tg_ptx_row(&em->w, "setp.eq.s64 %s, %s, 0;", p.name, holds.name);
    tg_ptx_report(em, TG_PTX_SITE_CHECK, p);
}

static void one_inst(tg_ptx_emitter *em, const tg_inst *inst, const uint32_t *at)
{
    tg_ptx_touch_inst(em, inst);
    tg_ptx_ready_for_inst(em);
    switch (inst->kind) {
    case TG_I_GROUP: tg_ptx_group(em, inst->as.group); return;
    case TG_I_COPY: tg_ptx_copy(em, inst->as.copy); return;
    case TG_I_REDUCE: tg_ptx_reduce(em, inst->as.reduce); return;
    case TG_I_ARG_REDUCE: tg_ptx_arg_reduce(em, inst->as.reduce); return;
    case TG_I_SCAN: tg_ptx_scan(em, inst->as.reduce); return;
    case TG_I_DOT: tg_ptx_dot(em, inst->as.dot); return;
    case TG_I_GATHER: tg_ptx_gather(em, inst->as.gather); return;
    case TG_I_SCATTER: tg_ptx_scatter(em, inst->as.scatter); return;
    case TG_I_SORT: tg_ptx_sort(em, inst->as.sort); return;
    case TG_I_BITCAST: tg_ptx_bitcast(em, inst->as.bitcast); return;
    case TG_I_DYNAMIC: tg_ptx_dynamic(em, inst->as.dynamic); return;
    case TG_I_PROGRAM_ID:
        tg_ptx_set_scalar(em, &inst->as.grid->out, em->program[inst->as.grid->axis]);
        return;
    case TG_I_NUM_PROGRAMS:
        tg_ptx_set_scalar(em, &inst->as.grid->out, em->grid[inst->as.grid->axis]);
        return;
    case TG_I_VIEW: tg_ptx_ref_view(em, inst->as.view); return;
    case TG_I_PART: tg_ptx_ref_part(em, inst->as.part); return;
    case TG_I_RECAST: tg_ptx_ref_recast(em, inst); return;
    case TG_I_SCOPE: tg_ptx_ref_scope(em, inst->as.scope); return;
    case TG_I_LOAD: tg_ptx_access_load(em, inst->as.access); return;
    case TG_I_STORE: tg_ptx_access_store(em, inst->as.access); return;
    case TG_I_ATOMIC: tg_ptx_access_atomic(em, inst->as.access); return;
    case TG_I_SEMAPHORE: tg_ptx_semaphore(em, inst->as.semaphore); return;
    case TG_I_DMA: tg_ptx_dma(em, inst->as.dma); return;
    case TG_I_GUARD: tg_ptx_guard(em, inst->as.guard); return;
    case TG_I_PRINT: tg_ptx_print(em, inst->as.print); return;
    case TG_I_CHECK: check(em, inst->as.print); return;
    case TG_I_EXCHANGE: exchange(em, inst->as.exchange.a, inst->as.exchange.b); return;
    case TG_I_JUMP: jump(em, at, inst->as.jump.target); return;
    case TG_I_SWITCH: switch_on(em, inst->as.on, at); return;
    case TG_I_FOR_TEST: test_for(em, inst->as.loop, at); return;
    case TG_I_FOR_NEXT: next_for(em, inst->as.loop, at); return;
    case TG_I_TARGET: tg_ptx_access_target(em, inst->as.access); return;
    case TG_I_SCOPE_END:
    case TG_I_END:
    case TG_I_KIND_COUNT: return;
    }
}

void tg_ptx_code(tg_ptx_emitter *em, const tg_code *code)
{
    uint32_t *at = tg_arena_take(&em->arena, code->count, sizeof *at);
    if (!at) {
        em->status = TG_ERR_NO_MEMORY;
        return;
    }
    find_targets(em, code, at);
    for (uint32_t pc = 0; pc < code->count && em->status == TG_OK; pc++) {
        em->inst = &code->list[pc];
        if (at[pc]) {
            tg_ptx_settle(em);
            tg_ptx_label(&em->w, at[pc] - 1);
        }
        if (em->inst->kind != TG_I_END && em->inst->kind != TG_I_TARGET &&
            em->inst->kind != TG_I_SCOPE_END)
            tg_ptx_comment(em, em->inst);
        tg_ptx_trace_begin(em, code, pc);
        one_inst(em, em->inst, at);
        tg_ptx_trace_end(em);
    }
    em->inst = NULL;
}
