#include "emulator/wgmma_state.h"

#include <stdlib.h>

bool tg_emu_wgmma_begin(tg_emu_exec *exec)
{
    if (!exec->entry->has_wgmma) return true;
    tg_emu_wgmma *w = exec->wgmma = calloc(1, sizeof *w);
    if (!w) return false;
    w->warp_count = exec->warp_count;
    w->group_count =
        exec->cta_count * ((exec->cta_warps + TG_EMU_WARPGROUP - 1) / TG_EMU_WARPGROUP);
    w->warps = calloc(w->warp_count, sizeof *w->warps);
    w->groups = calloc(w->group_count, sizeof *w->groups);
    if (!w->warps || !w->groups) return false;
    for (uint32_t i = 0; i < w->warp_count; i++) {
        w->warps[i].in_flight = calloc(exec->entry->register_count, sizeof *w->warps[i].in_flight);
        if (!w->warps[i].in_flight) return false;
    }
    return true;
}

void tg_emu_wgmma_begin_cluster(tg_emu_exec *exec)
{
    tg_emu_wgmma *w = exec->wgmma;
    for (uint32_t i = 0; w && i < w->warp_count; i++) {
        tg_emu_wgmma_warp *warp = &w->warps[i];
        free(warp->fenced);
        warp->fenced = NULL;
        warp->count = warp->group = 0;
        warp->executed = 0;
        memset(warp->in_flight, 0, exec->entry->register_count * sizeof *warp->in_flight);
    }
    for (uint32_t i = 0; w && i < w->group_count; i++) {
        w->groups[i].count = 0;
        w->groups[i].first = 0;
    }
}

void tg_emu_wgmma_end(tg_emu_exec *exec)
{
    tg_emu_wgmma *w = exec->wgmma;
    if (!w) return;
    for (uint32_t i = 0; w->warps && i < w->warp_count; i++) {
        free(w->warps[i].parts);
        free(w->warps[i].fenced);
        free(w->warps[i].in_flight);
    }
    for (uint32_t i = 0; w->groups && i < w->group_count; i++) free(w->groups[i].steps);
    free(w->warps);
    free(w->groups);
    free(w);
    exec->wgmma = NULL;
}
