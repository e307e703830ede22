#include "interp/spin/turn.h"

#include "interp/state/found.h"
#include "interp/spin/patience.h"
#include "interp/spin/spin.h"

/* Returns whether the run must stop.  To ask costs a look at the clock, so short turns ask
 * seldom. */
static bool is_stopped_here(tg_machine *m, const tg_inst *inst)
{
    const tg_launch *launch = m->launch;
    if (!launch->wants_stop || ++m->turns < m->patience) return false;
    m->turns = 0;
    m->patience = tg_next_patience(m->patience, &m->asked);
    if (launch->wants_stop(launch->stop_context, m->is_caller)) m->stopped_in = inst;
    return m->stopped_in != NULL;
}

/* Reports that the program has made one turn more than it may. */
static void report_limit(tg_machine *m, const tg_inst *inst)
{
    tg_machine_found(m, TG_FINDING_STEP_LIMIT, inst, NULL,
                     "%s: the loops of the program have made %lld turns, which is the limit.  The "
                     "program ends here",
                     tg_ops[inst->op].name, (long long)m->launch->most_turns);
}

tg_step tg_loop_turn_asked(tg_machine *m, const tg_inst *inst)
{
    if (m->launch->most_turns && !m->is_in_map && ++m->all_turns > m->launch->most_turns) {
        report_limit(m, inst);
        return TG_STEP_BLOCKED;
    }
    return is_stopped_here(m, inst) ? TG_STEP_STOPPED : TG_STEP_GOING;
}

/* Returns whether a loop that reads what others may write has made so many turns that it may be
 * waiting for them, although no two turns were the same, for example because it counts its
 * tries. */
static bool gives_way(tg_machine *m, const tg_while *loop)
{
    enum { MOST_LOOKS = 1 << 16 };
    if (!loop->polls || ++m->looks < MOST_LOOKS) return false;
    m->looks = 0;
    return true;
}

tg_step tg_while_turn(tg_machine *m, const tg_inst *inst)
{
    const tg_plan *plan = m->launch->plan;
    const tg_step turn = tg_loop_turn(m, inst);
    if (turn != TG_STEP_GOING || m->is_in_map) return turn;
    const tg_while *loop = &plan->whiles[inst->as.jump.loop];
    const tg_step step = tg_spin_turned(m, loop, inst);
    return step == TG_STEP_GOING && gives_way(m, loop) ? TG_STEP_GIVING_WAY : step;
}
