#include "emulator/warpgroup.h"

#include "base/list.h"
#include "emulator/trapping.h"

/* Of a warp of a CTA, by their numbers. */
static uint32_t group_number(const tg_emu_exec *exec, uint32_t rank, uint32_t warp)
{
    return rank * (exec->wgmma->group_count / exec->cta_count) + warp / TG_EMU_WARPGROUP;
}

static tg_emu_wgmma_group *group_of(const tg_emu_exec *exec)
{
    return &exec->wgmma
                ->groups[group_number(exec, exec->warp->cta->rank, tg_emu_wgmma_warp_number(exec))];
}

static bool is_whole(const tg_emu_exec *exec)
{
    const uint32_t first = tg_emu_wgmma_warp_number(exec) / TG_EMU_WARPGROUP * TG_EMU_WARPGROUP;
    return (first + TG_EMU_WARPGROUP) * TG_EMU_LANES <= exec->thread_count;
}

/* Forgets the steps that all warps of the group have executed. */
static void forget(const tg_emu_exec *exec, tg_emu_wgmma_group *group)
{
    const tg_emu_wgmma_warp *warps =
        tg_emu_wgmma_of(exec) - tg_emu_wgmma_warp_number(exec) % TG_EMU_WARPGROUP;
    uint64_t least = warps[0].executed;
    for (int i = 1; i < TG_EMU_WARPGROUP; i++)
        if (warps[i].executed < least) least = warps[i].executed;
    const size_t gone = (size_t)(least - group->first);
    if (gone == 0) return;
    group->count -= gone;
    group->first = least;
    memmove(group->steps, group->steps + gone, group->count * sizeof *group->steps);
}

static tg_emu_step trap_other(tg_emu_exec *exec, const tg_emu_wgmma_step *step,
                              const tg_emu_wgmma_step *other)
{
    tg_emu_place at = {0};
    tg_emu_place_inst(exec, other->inst, &at);
    if (other->inst != step->inst)
        return tg_emu_trap_at(exec, step->inst, TG_EMU_ALL, TG_EMU_TRAP_DIVERGENT_SYNC,
                              "another warp of the warpgroup executes that at %u:%u instead",
                              at.line, at.column);
    return tg_emu_trap_at(exec, step->inst, TG_EMU_ALL, TG_EMU_TRAP_DIVERGENT_SYNC,
                          "another warp of the warpgroup has other operands: a descriptor, or "
                          "whether the sum is read");
}

tg_emu_step tg_emu_warpgroup_execute(tg_emu_exec *exec, const tg_emu_wgmma_step *step)
{
    tg_emu_wgmma_group *group = group_of(exec);
    tg_emu_wgmma_warp *warp = tg_emu_wgmma_of(exec);
    if (!is_whole(exec))
        return tg_emu_trap_at(exec, step->inst, TG_EMU_ALL, TG_EMU_TRAP_DIVERGENT_SYNC,
                              "the warp belongs to no warpgroup of %d warps", TG_EMU_WARPGROUP);
    const size_t at = (size_t)(warp->executed++ - group->first);
    if (at < group->count) {
        const tg_emu_wgmma_step *other = &group->steps[at];
        if (other->inst != step->inst || other->lhs != step->lhs || other->rhs != step->rhs ||
            other->adds != step->adds)
            return trap_other(exec, step, other);
        forget(exec, group);
        return TG_EMU_ON;
    }
    tg_emu_wgmma_step *list =
        tg_list_grow(group->steps, group->count, &group->capacity, sizeof *list);
    if (!list) {
        exec->no_memory = true;
        return TG_EMU_TRAPPED;
    }
    group->steps = list;
    list[group->count++] = *step;
    return TG_EMU_ON;
}

tg_emu_step tg_emu_warpgroup_end_cta(tg_emu_exec *exec, const tg_emu_cta *cta)
{
    const tg_emu_wgmma *w = exec->wgmma;
    for (uint32_t i = 0; w && i < exec->cta_warps; i++) {
        const uint32_t number = cta->rank * exec->cta_warps + i;
        const tg_emu_wgmma_group *group = &w->groups[group_number(exec, cta->rank, i)];
        const uint64_t executed = w->warps[number].executed;
        if (executed == group->first + group->count) continue;
        exec->warp = &exec->warps[number];
        return tg_emu_trap_at(exec, group->steps[executed - group->first].inst, TG_EMU_ALL,
                              TG_EMU_TRAP_DIVERGENT_SYNC,
                              "the warp does not execute it, but others of its warpgroup do");
    }
    return TG_EMU_ON;
}
