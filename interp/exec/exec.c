#include "interp/exec/exec.h"

#include "interp/sync/async.h"
#include "interp/state/handlers.h"
#include "interp/exec/trace.h"

typedef void handler(tg_machine *m, const tg_inst *inst);

static handler *const handlers[TG_I_KIND_COUNT] = {
#define TG_INST(ID, id, body, visible, traits, names) [TG_I_##ID] = tg_exec_##id,
#include "plan/insts.def"
};

/* Executes the instruction, and notifies detectors and the log. */
static void perform(tg_machine *m, const tg_inst *inst)
{
    if (m->chain->async_ops.count) tg_async_before(m, inst, tg_inst_is_visible(inst));
    if (m->launch->trace) tg_machine_trace_begin(m);
    TG_DETECT(m, before, m, inst)
    handlers[inst->kind](m, inst);
    if (m->step != TG_STEP_GOING) return;
    TG_DETECT(m, after, m, inst)
    if (m->traced) tg_machine_trace_end(m);
}

/* Runs from m->pc; with `stops`, to the first visible event behind the one that it starts at. */
static tg_step execute(tg_machine *m, const tg_code *code, const tg_bound_code *bound)
{
    const tg_async_ops *const ops = &m->chain->async_ops;
    bool has_begun = false;
    uint32_t pc = m->pc; /* reading m->pc back would cost a few cycles in each turn */
    m->code = code;
    m->bound = bound;
    m->step = TG_STEP_GOING;
    do {
        const tg_inst *inst = &code->list[pc];
        if (m->stops && tg_inst_is_visible(inst)) {
            if (has_begun) break;
            has_begun = true;
        }
        m->next = pc + 1;
        if (m->is_looked_at || ops->count)
            perform(m, inst);
        else
            handlers[inst->kind](m, inst);
        m->pc = pc = m->next;
    } while (m->step == TG_STEP_GOING);
    return m->step == TG_STEP_GOING ? TG_STEP_READY : m->step;
}

tg_step tg_machine_run(tg_machine *m)
{
    if (m->stopped_in) return TG_STEP_STOPPED; /* stopped in an index map */
    return execute(m, &m->launch->plan->body, &m->launch->body);
}

void tg_exec_map(tg_machine *m, const tg_code *code, const tg_bound_code *bound)
{
    bool stops = m->stops;
    m->stops = false;
    m->is_in_map = true;
    m->pc = 0;
    execute(m, code, bound);
    m->is_in_map = false;
    m->stops = stops;
}
