#include "emulator/wgmma.h"

#include <stdlib.h>

#include "emulator/order.h"
#include "emulator/trapping.h"
#include "emulator/warp.h"
#include "emulator/warpgroup.h"
#include "emulator/wgmma_form.h"
#include "emulator/wgmma_part.h"

enum { REGISTER_BYTES = 4 * TG_EMU_LANES };

/* ---- moments ---- */

static tg_emu_wgmma_part *next_of(tg_emu_wgmma_warp *warp)
{
    for (size_t i = 0; i < warp->count; i++)
        if (!warp->parts[i].is_done) return &warp->parts[i];
    return NULL;
}

static void enter(tg_emu_exec *exec, tg_emu_warp *warp)
{
    exec->warp = warp;
    exec->bank[TG_EMU_FRAME] = warp->frame;
    exec->defined = warp->defined;
}

tg_emu_step tg_emu_wgmma_go_on(tg_emu_exec *exec)
{
    if (!exec->wgmma || !exec->launch->seed || tg_emu_random(&exec->random) % 2) return TG_EMU_ON;
    const uint32_t start = (uint32_t)(tg_emu_random(&exec->random) % exec->warp_count);
    for (uint32_t i = 0; i < exec->warp_count; i++) {
        const uint32_t number = (start + i) % exec->warp_count;
        tg_emu_wgmma_part *part = next_of(&exec->wgmma->warps[number]);
        if (!part) continue;
        enter(exec, &exec->warps[number]);
        return tg_emu_wgmma_take_place(exec, part);
    }
    return TG_EMU_ON;
}

tg_emu_step tg_emu_wgmma_end_cta(tg_emu_exec *exec, const tg_emu_cta *cta)
{
    const tg_emu_wgmma *w = exec->wgmma;
    for (uint32_t i = 0; w && i < exec->cta_warps; i++) {
        const uint32_t number = cta->rank * exec->cta_warps + i;
        if (w->warps[number].count == 0) continue;
        enter(exec, &exec->warps[number]);
        return tg_emu_trap_at(exec, w->warps[number].parts[0].inst, TG_EMU_ALL, TG_EMU_TRAP_WGMMA,
                              "the CTA ends, and nobody has waited for the product");
    }
    return tg_emu_warpgroup_end_cta(exec, cta);
}

/* ---- fences and groups ---- */

/* Of the current warp, with its warpgroup. */
static bool execute(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask, tg_emu_step *step)
{
    const tg_emu_wgmma_step own = {.inst = inst};
    if (!tg_emu_whole_warp(exec, inst, mask, "wgmma", step)) return false;
    *step = tg_emu_warpgroup_execute(exec, &own);
    return *step == TG_EMU_ON;
}

tg_emu_step tg_emu_exec_wgmma_fence(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_wgmma_warp *warp = tg_emu_wgmma_of(exec);
    tg_emu_step step = TG_EMU_ON;
    if (!execute(exec, inst, mask, &step)) return step;
    if (!warp->fenced) warp->fenced = malloc(exec->entry->frame_bytes);
    if (!warp->fenced) {
        exec->no_memory = true;
        return TG_EMU_TRAPPED;
    }
    memcpy(warp->fenced, exec->warp->frame, exec->entry->frame_bytes);
    return TG_EMU_ON;
}

tg_emu_step tg_emu_exec_wgmma_commit(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_step step = TG_EMU_ON;
    if (execute(exec, inst, mask, &step)) tg_emu_wgmma_of(exec)->group++;
    return step;
}

/* The part's registers are those of the program again, unless a later part sums in them. */
static void hand_over(tg_emu_exec *exec, const tg_emu_wgmma_part *part)
{
    const tg_emu_wgmma_form *f = part->inst->data;
    tg_emu_wgmma_warp *warp = tg_emu_wgmma_of(exec);
    for (uint32_t i = 0; i < f->sum_count; i++) {
        const tg_emu_slot *slot = &f->sum[i];
        if (--warp->in_flight[slot->reg]) continue;
        exec->defined[slot->reg] = TG_EMU_ALL;
        memcpy(warp->fenced + slot->offset, tg_emu_at(exec, slot), REGISTER_BYTES);
    }
    for (unsigned lane = 0; exec->sync.clocks.rows && lane < TG_EMU_LANES; lane++)
        tg_emu_clock_acquire(&exec->sync.clocks, exec->warp->first_tid + lane,
                             tg_emu_clock(&exec->sync.clocks, part->actor));
}

tg_emu_step tg_emu_exec_wgmma_wait(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_wgmma_warp *warp = tg_emu_wgmma_of(exec);
    size_t covered = 0;
    tg_emu_step step = TG_EMU_ON;
    if (!execute(exec, inst, mask, &step)) return step;
    while (covered < warp->count &&
           warp->parts[covered].group + (uint64_t)inst->immediate < warp->group) {
        tg_emu_wgmma_part *part = &warp->parts[covered];
        if (!part->is_done && tg_emu_wgmma_take_place(exec, part) != TG_EMU_ON)
            return TG_EMU_TRAPPED;
        covered++;
    }
    for (size_t i = 0; i < covered; i++) hand_over(exec, &warp->parts[i]);
    warp->count -= covered;
    if (covered) memmove(warp->parts, warp->parts + covered, warp->count * sizeof *warp->parts);
    return TG_EMU_ON;
}
