/* Runs a warp: its threads in lock step.  If they diverge, the group with the lowest program
 * counter runs first, and groups join as soon as they meet. */
#include "emulator/warp.h"

#include "emulator/cluster.h"
#include "emulator/cluster_barrier.h"
#include "emulator/spin.h"
#include "emulator/trapping.h"
#include "emulator/wgmma_state.h"

/* Sorts the groups by pc and joins those with the same pc.  A joined group that was waiting checks
 * again. */
static void settle(tg_emu_warp *w)
{
    unsigned count = 0;
    for (unsigned i = 1; i < w->group_count; i++) {
        tg_emu_group group = w->groups[i];
        unsigned at = i;
        for (; at > 0 && w->groups[at - 1].pc > group.pc; at--) w->groups[at] = w->groups[at - 1];
        w->groups[at] = group;
    }
    for (unsigned i = 0; i < w->group_count; i++) {
        if (w->groups[i].mask == 0) continue;
        if (count && w->groups[count - 1].pc == w->groups[i].pc) {
            w->groups[count - 1].mask |= w->groups[i].mask;
            w->groups[count - 1].waits = TG_EMU_WAITS_NOT;
        } else {
            w->groups[count++] = w->groups[i];
        }
    }
    w->group_count = count;
}

static tg_emu_group *choose(tg_emu_warp *w)
{
    for (unsigned i = 0; i < w->group_count; i++)
        if (!w->groups[i].waits) return &w->groups[i];
    return NULL;
}

static tg_emu_step trap_uninitialised(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask,
                                      const tg_emu_slot *slot)
{
    uint32_t missing = mask & ~exec->defined[slot->reg];
    char name[TG_EMU_REGISTER_TEXT];
    if (tg_emu_wgmma_has(exec, slot->reg))
        return tg_emu_trap_at(
            exec, inst, missing, TG_EMU_TRAP_WGMMA,
            "%s belongs to a product in flight: a wgmma.wait_group must come first",
            tg_emu_register_text(exec->entry, slot->reg, name));
    return tg_emu_trap_at(exec, inst, missing, TG_EMU_TRAP_UNINITIALISED_REGISTER,
                          "%s has not been written",
                          tg_emu_register_text(exec->entry, slot->reg, name));
}

/* Whether some of the lanes may not read the register. */
static inline bool is_missing(const tg_emu_exec *exec, const tg_emu_slot *slot, uint32_t mask)
{
    return mask & ~exec->defined[slot->reg] &&
           (!exec->launch->arbitrary_registers || tg_emu_wgmma_has(exec, slot->reg));
}

/* The lanes that pass the guard; sets *step if the guard cannot be read. */
static uint32_t guarded(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask,
                        tg_emu_step *step)
{
    uint32_t truth = *(const uint32_t *)tg_emu_at(exec, &inst->guard);
    if (is_missing(exec, &inst->guard, mask))
        *step = trap_uninitialised(exec, inst, mask, &inst->guard);
    return mask & (inst->is_guard_flipped ? ~truth : truth);
}

static inline unsigned count_lanes(uint32_t mask)
{
    mask = mask - (mask >> 1 & 0x55555555);
    mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
    return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* Executes one instruction of the current group, and advances its pc unless the handler has done
 * so. */
static inline tg_emu_step step_group(tg_emu_exec *exec, tg_emu_group *group)
{
    const tg_emu_inst *inst = &exec->entry->code[group->pc];
    uint32_t mask = group->mask;
    tg_emu_step step = TG_EMU_ON;
    if (inst->is_guarded) mask = guarded(exec, inst, mask, &step);
    if (step != TG_EMU_ON) return step;
    exec->result->warp_instructions++;
    exec->result->thread_instructions += mask == TG_EMU_ALL ? TG_EMU_LANES : count_lanes(mask);
    if (mask || inst->is_control) {
        for (unsigned i = 0; i < inst->in_count; i++)
            if (is_missing(exec, &inst->in[i], mask))
                return trap_uninitialised(exec, inst, mask, &inst->in[i]);
        if (inst->is_inexact) exec->result->inexact++;
        step = inst->exec(exec, inst, mask);
        if (step != TG_EMU_ON) return step;
        for (unsigned i = 0; i < inst->out_count; i++) exec->defined[inst->out[i].reg] |= mask;
    }
    group->pc++;
    return TG_EMU_ON;
}

tg_emu_step tg_emu_warp_run(tg_emu_exec *exec, tg_emu_warp *w, uint64_t quantum)
{
    tg_emu_step step = TG_EMU_ON;
    exec->warp = w;
    exec->bank[TG_EMU_FRAME] = w->frame;
    exec->bank[TG_EMU_CONSTANTS] = exec->entry->constants;
    exec->defined = w->defined;
    for (uint64_t end = exec->result->warp_instructions + quantum;
         exec->result->warp_instructions < end && w->state == TG_EMU_READY;) {
        if (w->group_count > 1) settle(w);
        tg_emu_group *group = exec->group = choose(w);
        /* With a single group, runs on without choosing again until a handler changes the control
         * flow. */
        uint64_t limit = w->group_count > 1 ? exec->result->warp_instructions + 1 : end;
        do step = step_group(exec, group);
        while (step == TG_EMU_ON && exec->result->warp_instructions < limit);
        if (step == TG_EMU_TRAPPED || exec->no_memory) return TG_EMU_TRAPPED;
    }
    return step;
}

/* Whether no group can go on until some phase is complete. */
static bool is_stopped_by_phase(tg_emu_warp *w)
{
    for (unsigned i = 0; i < w->group_count; i++)
        if (w->groups[i].waits == TG_EMU_WAITS_FOR_PHASE) w->state = TG_EMU_AT_PHASE;
    return w->state == TG_EMU_AT_PHASE;
}

tg_emu_step tg_emu_suspend(tg_emu_exec *exec)
{
    exec->group->waits = TG_EMU_WAITS_FOR_PHASE;
    if (!choose(exec->warp)) (void)is_stopped_by_phase(exec->warp);
    return TG_EMU_CONTROL;
}

void tg_emu_resume_all(tg_emu_exec *exec)
{
    for (uint32_t i = 0; i < exec->warp_count; i++) {
        tg_emu_warp *w = &exec->warps[i];
        for (unsigned g = 0; g < w->group_count; g++)
            if (w->groups[g].waits == TG_EMU_WAITS_FOR_PHASE) w->groups[g].waits = TG_EMU_WAITS_NOT;
        if (w->state == TG_EMU_AT_PHASE) w->state = TG_EMU_READY;
    }
}

bool tg_emu_gather(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t together,
                   tg_emu_trap_kind kind, tg_emu_step *step)
{
    tg_emu_warp *w = exec->warp;
    if ((together & ~exec->group->mask) == 0) return true;
    exec->group->waits = TG_EMU_WAITS_FOR_WARP;
    *step = TG_EMU_CONTROL;
    if (choose(w) || is_stopped_by_phase(w)) return false;
    uint32_t gone = together & ~w->live, elsewhere = together & w->live & ~exec->group->mask;
    const tg_emu_group *other = exec->group;
    for (unsigned i = 0; i < w->group_count; i++)
        if (w->groups[i].mask & elsewhere) other = &w->groups[i];
    if (gone)
        *step = tg_emu_trap_at(exec, inst, exec->group->mask, kind,
                               "lane %u of the warp does not come: it has left the kernel",
                               tg_emu_first_lane(gone));
    else
        *step = tg_emu_trap_at(exec, inst, exec->group->mask, kind,
                               "lane %u of the warp does not come: it waits at line %u",
                               tg_emu_first_lane(elsewhere), exec->entry->code[other->pc].line);
    return false;
}

/* -- control flow -- */

bool tg_emu_whole_warp(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask, const char *what,
                       tg_emu_step *step)
{
    const uint32_t kept_out = exec->group->mask & ~mask, missing = ~exec->warp->live;
    if (kept_out || missing) {
        *step = tg_emu_trap_at(exec, inst, mask ? mask : kept_out, TG_EMU_TRAP_DIVERGENT_SYNC,
                               kept_out ? "the predicate keeps lane %u out of %s, which wants all"
                                        : "lane %u is not there for %s, which wants all",
                               tg_emu_first_lane(kept_out ? kept_out : missing), what);
        return false;
    }
    return tg_emu_gather(exec, inst, TG_EMU_ALL, TG_EMU_TRAP_DIVERGENT_SYNC, step);
}

static void jump(tg_emu_exec *exec, uint32_t target, uint32_t mask)
{
    tg_emu_warp *w = exec->warp;
    tg_emu_group *group = exec->group;
    if (mask == group->mask) {
        group->pc = target;
        return;
    }
    group->mask &= ~mask;
    group->pc++;
    w->groups[w->group_count++] = (tg_emu_group){target, mask, TG_EMU_WAITS_NOT};
}

enum { UNIFORM = 1 };

tg_emu_step tg_emu_exec_branch(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    uint32_t stays = exec->group->mask & ~mask;
    if ((inst->flags & UNIFORM) && mask && stays)
        return tg_emu_trap_at(
            exec, inst, stays, TG_EMU_TRAP_DIVERGENT_BRANCH,
            "the branch is marked .uni, but lane %u takes it and lane %u does not",
            tg_emu_first_lane(mask), tg_emu_first_lane(stays));
    if (mask == 0) {
        exec->group->pc++;
        return TG_EMU_CONTROL;
    }
    if (inst->target <= exec->group->pc) tg_emu_spin_jumped(exec, inst->target);
    jump(exec, inst->target, mask);
    return exec->no_memory ? TG_EMU_TRAPPED : TG_EMU_CONTROL;
}

tg_emu_step tg_emu_exec_exit(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_warp *w = exec->warp;
    (void)inst;
    w->live &= ~mask;
    tg_emu_spin_changed(exec);
    tg_emu_cluster_leave(exec, mask);
    tg_emu_cluster_barrier_settle(exec);
    exec->group->mask &= ~mask;
    exec->group->pc++;
    for (unsigned i = 0; i < w->group_count; i++)
        if (w->groups[i].waits == TG_EMU_WAITS_FOR_WARP)
            w->groups[i].waits = TG_EMU_WAITS_NOT; /* they must check again whom they wait for */
    if (w->live == 0) w->state = TG_EMU_DONE;
    settle(w);
    return TG_EMU_CONTROL;
}

tg_emu_step tg_emu_exec_trap(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    return tg_emu_trap_at(exec, inst, mask, TG_EMU_TRAP_EXECUTED, "the kernel says so");
}
