#include "emulator/cluster_barrier.h"

#include "emulator/spin.h"
#include "emulator/sync.h"
#include "emulator/trapping.h"
#include "emulator/warp.h"

/* ---- phases ---- */

/* Threads that the phase still waits for; none if nobody has come. */
static uint32_t missing(const tg_emu_exec *exec)
{
    uint32_t arrived = 0, count = 0;
    for (uint32_t i = 0; i < exec->warp_count; i++) {
        const tg_emu_warp *w = &exec->warps[i];
        arrived |= w->cluster_arrived;
        count += (uint32_t)__builtin_popcount(w->live & ~w->cluster_arrived);
    }
    return arrived ? count : UINT32_MAX;
}

void tg_emu_cluster_barrier_settle(tg_emu_exec *exec)
{
    tg_emu_sync *s = &exec->sync;
    uint32_t *const row = s->cluster_complete;
    if (missing(exec)) return;
    for (uint32_t i = 0; i < exec->warp_count; i++) {
        exec->warps[i].cluster_passes |= exec->warps[i].cluster_arrived;
        exec->warps[i].cluster_arrived = 0;
    }
    s->cluster_complete = s->cluster_gathering;
    s->cluster_gathering = row;
    if (row) memset(row, 0, (size_t)2 * s->clocks.actors * sizeof *row);
    tg_emu_resume_all(exec);
}

/* ---- instructions ---- */

/* Brings the warp together where the instruction is aligned.  Returns false if it is not yet. */
static bool align(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask, tg_emu_step *step)
{
    const uint32_t kept_out = exec->group->mask & ~mask;
    if (!(inst->flags & TG_EMU_CLUSTER_ALIGNED)) return true;
    if (!kept_out)
        return tg_emu_gather(exec, inst, exec->warp->live, TG_EMU_TRAP_DIVERGENT_BARRIER, step);
    *step = tg_emu_trap_at(exec, inst, kept_out, TG_EMU_TRAP_DIVERGENT_BARRIER,
                           "the barrier's predicate keeps lane %u of the warp out",
                           tg_emu_first_lane(kept_out));
    return false;
}

static void hand_on(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane)
{
    tg_emu_sync *s = &exec->sync;
    const uint32_t thread = exec->warp->first_tid + lane;
    if (!(inst->flags & TG_EMU_CLUSTER_RELAXED))
        tg_emu_clock_release(&s->clocks, thread, s->cluster_gathering);
    else if (s->fenced[thread])
        tg_emu_clock_join(&s->clocks, s->cluster_gathering, s->fenced[thread]);
}

tg_emu_step tg_emu_exec_cluster_arrive(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_warp *w = exec->warp;
    tg_emu_step step;
    if (!align(exec, inst, mask, &step)) return step;
    const uint32_t again = mask & (w->cluster_arrived | w->cluster_passes);
    if (again)
        return tg_emu_trap_at(exec, inst, again, TG_EMU_TRAP_CLUSTER,
                              "the thread arrives again, and has not waited since it arrived");
    for (unsigned lane = 0; exec->sync.clocks.rows && lane < TG_EMU_LANES; lane++)
        if (mask >> lane & 1) hand_on(exec, inst, lane);
    w->cluster_arrived |= mask;
    tg_emu_spin_changed(exec);
    tg_emu_cluster_barrier_settle(exec);
    return TG_EMU_ON;
}

tg_emu_step tg_emu_exec_cluster_wait(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_warp *w = exec->warp;
    tg_emu_step step;
    if (!align(exec, inst, mask, &step)) return step;
    const uint32_t absent = mask & ~(w->cluster_arrived | w->cluster_passes);
    if (absent)
        return tg_emu_trap_at(exec, inst, absent, TG_EMU_TRAP_CLUSTER,
                              "the thread waits for the cluster, and has not arrived before");
    if (mask & ~w->cluster_passes) return tg_emu_suspend(exec);
    w->cluster_passes &= ~mask;
    for (unsigned lane = 0; exec->sync.clocks.rows && lane < TG_EMU_LANES; lane++)
        if (mask >> lane & 1)
            tg_emu_clock_acquire(&exec->sync.clocks, w->first_tid + lane,
                                 exec->sync.cluster_complete);
    return TG_EMU_ON;
}

/* ---- never going on ---- */

tg_emu_step tg_emu_cluster_barrier_trap_stuck(tg_emu_exec *exec)
{
    for (uint32_t i = 0; i < exec->warp_count; i++) {
        tg_emu_warp *w = &exec->warps[i];
        for (unsigned g = 0; w->state == TG_EMU_AT_PHASE && g < w->group_count; g++) {
            const tg_emu_inst *inst = &exec->entry->code[w->groups[g].pc];
            if (inst->exec != tg_emu_exec_cluster_wait) continue;
            exec->warp = w;
            return tg_emu_trap_at(exec, inst, w->groups[g].mask, TG_EMU_TRAP_DEADLOCK,
                                  "the barrier of the cluster lacks %u threads, and no other "
                                  "thread can go on",
                                  missing(exec));
        }
    }
    return TG_EMU_ON;
}
