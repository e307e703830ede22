#include "emulator/spin.h"

#include <stdlib.h>

#include "emulator/trapping.h"

/* A loop with loops in it comes by the same jump only once in a while. */
enum { MOST_LOOKS = 64 };

static void remember(tg_emu_exec *exec, tg_emu_spin *spin, uint32_t target)
{
    const size_t bytes = exec->entry->frame_bytes;
    if (!spin->frame) spin->frame = malloc(bytes);
    if (!spin->frame) {
        exec->no_memory = true;
        return;
    }
    memcpy(spin->frame, exec->warp->frame, bytes);
    spin->changes = exec->changes;
    spin->target = target;
    spin->mask = exec->group->mask;
    spin->looks = 0;
    spin->looked = exec->turn;
    spin->is_endless = false;
}

void tg_emu_spin_look(tg_emu_exec *exec, uint32_t target)
{
    tg_emu_spin *spin = &exec->warp->spin;
    const bool is_quiet = spin->frame && spin->changes == exec->changes;
    const bool is_same = is_quiet && spin->target == target && spin->mask == exec->group->mask;
    if (is_same && memcmp(spin->frame, exec->warp->frame, exec->entry->frame_bytes) == 0) {
        spin->is_endless = true;
        spin->since = spin->looked;
        spin->looked = exec->turn;
    } else if (is_same || !is_quiet || ++spin->looks == MOST_LOOKS) {
        remember(exec, spin, target);
    }
}

static bool spins(const tg_emu_exec *exec, const tg_emu_warp *w)
{
    return w->spin.is_endless && w->spin.changes == exec->changes;
}

/* A warp that waits may be on its way to change something, unless each one that spins has gone round
 * wholly since that last ran. */
bool tg_emu_spin_is_endless(tg_emu_exec *exec)
{
    uint64_t since = UINT64_MAX;
    if (!spins(exec, exec->warp)) return false;
    for (uint32_t i = 0; i < exec->warp_count; i++)
        if (spins(exec, &exec->warps[i]) && exec->warps[i].spin.since < since)
            since = exec->warps[i].spin.since;
    for (uint32_t i = 0; i < exec->warp_count; i++) {
        const tg_emu_warp *w = &exec->warps[i];
        const bool is_still = w->state != TG_EMU_READY && w->spin.turn < since;
        if (w->state != TG_EMU_DONE && !is_still && !spins(exec, w)) return false;
    }
    return true;
}

/* Whether there are other CTAs, or clusters, which on a GPU may run at the same time. */
static bool has_others(const tg_emu_exec *exec)
{
    const uint32_t *grid = exec->launch->grid;
    return (uint64_t)grid[0] * grid[1] * grid[2] > exec->cta_count;
}

tg_emu_step tg_emu_spin_trap(tg_emu_exec *exec)
{
    tg_emu_warp *w = exec->warp;
    const tg_emu_group *group = &w->groups[0];
    for (unsigned i = 0; i < w->group_count; i++)
        if (w->groups[i].mask == w->spin.mask) group = &w->groups[i];
    return tg_emu_trap_at(exec, &exec->entry->code[group->pc], group->mask, TG_EMU_TRAP_DEADLOCK,
                          "the warp goes round in a loop, and no other thread can change what it "
                          "looks at%s",
                          has_others(exec) ? " (CTAs run one after the other here)" : "");
}

void tg_emu_spin_begin(tg_emu_warp *w)
{
    w->spin.is_endless = false;
    w->spin.turn = 0;
    w->spin.changes = UINT64_MAX;
}

void tg_emu_spin_end(tg_emu_exec *exec)
{
    for (uint32_t i = 0; i < exec->warp_count; i++) free(exec->warps[i].spin.frame);
}
