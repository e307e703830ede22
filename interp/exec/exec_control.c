/* Control flow: jumps, loops and branches. */
#include "interp/state/handlers.h"
#include "interp/state/found.h"
#include "interp/state/operand.h"
#include "interp/spin/turn.h"

void tg_exec_jump(tg_machine *m, const tg_inst *inst)
{
    m->next = inst->as.jump.target;
    if (m->next <= m->pc) m->step = tg_while_turn(m, inst);
}

void tg_exec_switch(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_switch *on = inst->as.on;
    int64_t index = tg_operand_int(m, &on->on);
    if (index < 0 || index >= on->target_count) index = on->target_count - 1;
    m->next = on->targets[index];
}

/* A bound of a loop.  A u64 is shifted down by half its range, so that bounds compare as signed
 * numbers. */
static int64_t bound_of(const tg_machine *m, const tg_operand *o)
{
    if (tg_carrier_of(o->dtype) != TG_C_u64) return tg_operand_int(m, o);
    return (int64_t)(*(const uint64_t *)(const void *)tg_operand_at(m, o) + ((uint64_t)1 << 63));
}

void tg_exec_for_test(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_for *loop = inst->as.loop;
    int64_t step = tg_operand_int(m, &loop->step);
    bool goes_on = bound_of(m, &loop->counter) < bound_of(m, &loop->upper);
    if (goes_on && step <= 0) {
        tg_machine_found(m, TG_FINDING_ENDLESS_LOOP, inst, NULL,
                         "for: the step is %lld; it must be at least 1.  The loop was left out",
                         (long long)step);
    }
    if (!goes_on || step <= 0) m->next = loop->target;
}

/* Increments the counter, to `upper` at most, so that it cannot overflow. */
static void count_on(tg_machine *m, const struct tg_inst_for *loop)
{
    uint64_t left = (uint64_t)bound_of(m, &loop->upper) - (uint64_t)bound_of(m, &loop->counter);
    uint64_t step = (uint64_t)tg_operand_int(m, &loop->step), counter;
    counter = (uint64_t)bound_of(m, &loop->counter) + (step < left ? step : left);
    if (tg_carrier_of(loop->counter.dtype) == TG_C_u64) counter -= (uint64_t)1 << 63;
    tg_operand_set_int(m, &loop->counter, (int64_t)counter);
}

void tg_exec_for_next(tg_machine *m, const tg_inst *inst)
{
    count_on(m, inst->as.loop);
    m->next = inst->as.loop->target;
    m->step = tg_loop_turn(m, inst);
}

void tg_exec_exchange(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_exchange *e = &inst->as.exchange;
    void *a = m->slot[e->a];
    m->slot[e->a] = m->slot[e->b];
    m->slot[e->b] = a;
}

void tg_exec_end(tg_machine *m, const tg_inst *inst)
{
    (void)inst;
    m->next = m->pc;
    m->step = TG_STEP_DONE;
}
