#include "emulator/fence.h"

#include "base/list.h"
#include "emulator/sync.h"

/* The row at a place of its own, made when it is first wanted; NULL if memory runs out. */
static uint32_t *row_at(tg_emu_exec *exec, uint32_t **place)
{
    if (!*place) *place = tg_emu_clocks_row(&exec->sync.clocks);
    if (!*place) exec->no_memory = true;
    return *place;
}

static void fence(tg_emu_exec *exec, uint32_t thread)
{
    tg_emu_sync *s = &exec->sync;
    uint32_t *const seen = s->seen[thread], *const fenced = row_at(exec, &s->fenced[thread]);
    if (seen) tg_emu_clock_acquire(&s->clocks, thread, seen);
    if (fenced) tg_emu_clock_release(&s->clocks, thread, fenced);
}

/* The emulator's memory is always in order: a fence matters to races alone. */
tg_emu_step tg_emu_exec_fence(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    (void)inst;
    for (unsigned lane = 0; exec->sync.clocks.rows && lane < TG_EMU_LANES; lane++)
        if (mask >> lane & 1) fence(exec, exec->warp->first_tid + lane);
    return exec->no_memory ? TG_EMU_TRAPPED : TG_EMU_ON;
}

tg_emu_step tg_emu_exec_fence_proxy(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    (void)inst;
    for (unsigned lane = 0; exec->sync.clocks.rows && lane < TG_EMU_LANES; lane++)
        if (mask >> lane & 1) tg_emu_clock_fence(&exec->sync.clocks, exec->warp->first_tid + lane);
    return TG_EMU_ON;
}

void tg_emu_fence_lane(tg_emu_exec *exec, unsigned lane)
{
    if (exec->sync.clocks.rows) fence(exec, exec->warp->first_tid + lane);
}

/* ---- atomics ---- */

static tg_emu_location *find(tg_emu_sync *s, uint64_t address)
{
    for (size_t i = s->location_count; i > 0; i--)
        if (s->locations[i - 1].address == address) return &s->locations[i - 1];
    return NULL;
}

static tg_emu_location *add(tg_emu_exec *exec, uint64_t address)
{
    tg_emu_sync *s = &exec->sync;
    tg_emu_location *list =
        tg_list_grow(s->locations, s->location_count, &s->location_capacity, sizeof *list);
    if (list) s->locations = list;
    tg_emu_location made = {address, list ? tg_emu_clocks_row(&s->clocks) : NULL};
    if (!made.row) {
        exec->no_memory = true;
        return NULL;
    }
    list[s->location_count] = made;
    return &list[s->location_count++];
}

void tg_emu_fence_atomic(tg_emu_exec *exec, unsigned lane, uint64_t key)
{
    tg_emu_sync *s = &exec->sync;
    const uint32_t thread = exec->warp->first_tid + lane;
    if (!s->clocks.rows) return;
    const uint32_t *fenced = s->fenced[thread];
    tg_emu_location *at = find(s, key);
    if (!at && fenced) at = add(exec, key);
    if (!at) return;
    uint32_t *const seen = row_at(exec, &s->seen[thread]);
    if (seen) tg_emu_clock_join(&s->clocks, seen, at->row);
    if (fenced) tg_emu_clock_join(&s->clocks, at->row, fenced);
}
