#include "gpu_backend/kernel/control.h"

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/place.h"
#include "gpu_backend/emit/refuse.h"
#include "gpu_backend/emit/report.h"
#include "gpu_backend/emit/scalar.h"
#include "gpu_backend/emit/trace.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/instructions/insts.h"
#include "gpu_backend/kernel/hazard.h"
#include "gpu_backend/text/ptx.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"

/* ---- labels ---- */

typedef struct finder {
    tg_ptx_emitter *em;
    uint32_t *at; /* per instruction: its label plus 1 */
} finder;

static void want(void *context, uint32_t target)
{
    const finder *f = context;
    if (!f->at[target]) f->at[target] = tg_ptx_new_label(&f->em->w) + 1;
}

/* ---- jumps ---- */

/* The label before an instruction. */
static uint32_t label_of(const tg_ptx_emitter *em, uint32_t target)
{
    return em->labels[target] - 1;
}

static void jump(tg_ptx_emitter *em, uint32_t target)
{
    tg_ptx_settle(em);
    tg_ptx_row(&em->w, "bra.uni $L%u;", label_of(em, target));
}

void tg_ptx_inst_jump(tg_ptx_emitter *em, const tg_inst *inst) { jump(em, inst->as.jump.target); }

void tg_ptx_inst_switch(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_switch *on = inst->as.on;
    const tg_ptx_reg index = tg_ptx_uniform_reg(em, tg_ptx_scalar(em, &on->on));
    tg_ptx_settle(em);
    for (uint32_t i = 0; i + 1 < on->target_count; i++) {
        const tg_ptx_reg p = tg_ptx_new(&em->w, TG_PTX_PRED);
        tg_ptx_row(&em->w, "setp.eq.s64 %s, %s, %u;", p.name, index.name, i);
        tg_ptx_row(&em->w, "@%s bra.uni $L%u;", p.name, label_of(em, on->targets[i]));
    }
    tg_ptx_row(&em->w, "bra.uni $L%u;", label_of(em, on->targets[on->target_count - 1]));
}

/* Leaves the loop unless counter < upper.  Also leaves it, with a report, if the step is not
 * positive. */
void tg_ptx_inst_for_test(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_for *loop = inst->as.loop;
    const char *const type = tg_carrier_of(loop->counter.dtype) == TG_C_u64 ? "u64" : "s64";
    const tg_ptx_reg counter = tg_ptx_uniform_reg(em, tg_ptx_scalar_bits(em, &loop->counter)),
                     upper = tg_ptx_uniform_reg(em, tg_ptx_scalar_bits(em, &loop->upper)),
                     p = tg_ptx_new(&em->w, TG_PTX_PRED);
    const tg_ptx_uniform step = tg_ptx_scalar(em, &loop->step);
    tg_ptx_settle(em);
    tg_ptx_row(&em->w, "setp.ge.%s %s, %s, %s;", type, p.name, counter.name, upper.name);
    tg_ptx_row(&em->w, "@%s bra.uni $L%u;", p.name, label_of(em, loop->target));
    if (step.is_known && step.known > 0) return;
    const tg_ptx_reg bad = tg_ptx_new(&em->w, TG_PTX_PRED), by = tg_ptx_uniform_reg(em, step);
    tg_ptx_row(&em->w, "setp.le.s64 %s, %s, 0;", bad.name, by.name);
    tg_ptx_report(em, TG_PTX_SITE_LOOP, bad);
    tg_ptx_row(&em->w, "@%s bra.uni $L%u;", bad.name, label_of(em, loop->target));
}

/* counter += min(step, upper - counter), so that it cannot wrap around; then jumps back to the
 * test. */
void tg_ptx_inst_for_next(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_for *loop = inst->as.loop;
    const tg_ptx_uniform counter = tg_ptx_scalar_bits(em, &loop->counter);
    const tg_ptx_reg left = tg_ptx_uniform_reg(
                         em, tg_ptx_sub(em, tg_ptx_scalar_bits(em, &loop->upper), counter)),
                     step = tg_ptx_uniform_reg(em, tg_ptx_scalar(em, &loop->step)),
                     by = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "min.u64 %s, %s, %s;", by.name, step.name, left.name);
    tg_ptx_writes(em, &loop->counter);
    tg_ptx_ready(em);
    tg_ptx_set_scalar(em, &loop->counter, tg_ptx_add(em, counter, tg_ptx_held(by)));
    jump(em, loop->target);
}

/* ---- small instructions ---- */

void tg_ptx_inst_exchange(tg_ptx_emitter *em, const tg_inst *inst)
{
    const tg_slot_id a = inst->as.exchange.a, b = inst->as.exchange.b;
    const tg_ptx_reg kept = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_move(&em->w, kept, em->slot_base[a]);
    tg_ptx_move(&em->w, em->slot_base[a], em->slot_base[b]);
    tg_ptx_move(&em->w, em->slot_base[b], kept);
}

void tg_ptx_inst_check(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_print *print = inst->as.print;
    const tg_ptx_reg holds = tg_ptx_uniform_reg(em, tg_ptx_scalar(em, &print->condition)),
                     p = tg_ptx_new(&em->w, TG_PTX_PRED);
    tg_ptx_row(&em->w, "setp.eq.s64 %s, %s, 0;", p.name, holds.name);
    tg_ptx_report(em, TG_PTX_SITE_CHECK, p);
}

void tg_ptx_inst_program_id(tg_ptx_emitter *em, const tg_inst *inst)
{
    tg_ptx_set_scalar(em, &inst->as.grid->out, em->program[inst->as.grid->axis]);
}

void tg_ptx_inst_num_programs(tg_ptx_emitter *em, const tg_inst *inst)
{
    tg_ptx_set_scalar(em, &inst->as.grid->out, em->grid[inst->as.grid->axis]);
}

void tg_ptx_inst_cancel(tg_ptx_emitter *em, const tg_inst *inst)
{
    tg_ptx_refuse(em, TG_PTX_REFUSES_CANCELLING, "%s", tg_ops[inst->op].name);
}

/* Neither of these needs any rows: copies take place where they start, and the code ends where its
 * text does. */
void tg_ptx_inst_scope_end(tg_ptx_emitter *em, const tg_inst *inst) { (void)em, (void)inst; }

void tg_ptx_inst_end(tg_ptx_emitter *em, const tg_inst *inst) { (void)em, (void)inst; }

/* ---- instruction by instruction ---- */

static void (*const writers[TG_I_KIND_COUNT])(tg_ptx_emitter *em, const tg_inst *inst) = {
#define TG_INST(ID, id, body, visible, traits, names) [TG_I_##ID] = tg_ptx_inst_##id,
#include "plan/insts.def"
};

void tg_ptx_code(tg_ptx_emitter *em, const tg_code *code)
{
    uint32_t *at = tg_arena_take(&em->arena, code->count, sizeof *at);
    if (!at) {
        em->status = TG_ERR_NO_MEMORY;
        return;
    }
    finder f = {em, at};
    for (uint32_t pc = 0; pc < code->count; pc++) tg_inst_targets(&code->list[pc], want, &f);
    em->labels = at;
    for (uint32_t pc = 0; pc < code->count && em->status == TG_OK; pc++) {
        em->inst = &code->list[pc];
        if (at[pc]) {
            tg_ptx_settle(em);
            tg_ptx_label(&em->w, label_of(em, pc));
        }
        if (em->inst->kind != TG_I_END && em->inst->kind != TG_I_TARGET &&
            em->inst->kind != TG_I_SCOPE_END)
            tg_ptx_comment(em, em->inst);
        tg_ptx_trace_begin(em, code, pc);
        tg_ptx_access_inst(em, em->inst);
        tg_ptx_ready_for_inst(em);
        writers[em->inst->kind](em, em->inst);
        tg_ptx_trace_end(em);
    }
    em->inst = NULL;
}
