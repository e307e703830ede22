#include "emulator/tensor_order.h"

#include <stdlib.h>

#include "emulator/sync.h"

static const tg_emu_clocks *clocks_of(const tg_emu_exec *exec) { return &exec->sync.clocks; }

static uint32_t warp_of(uint32_t thread) { return thread / TG_EMU_LANES; }

/* The row at a place of its own, made when it is first wanted; NULL without clocks or memory. */
static uint32_t *row_at(tg_emu_exec *exec, uint32_t **place)
{
    if (!clocks_of(exec)->rows) return NULL;
    if (!*place) *place = tg_emu_clocks_row(clocks_of(exec));
    if (!*place) exec->no_memory = true;
    return *place;
}

/* Row `index` of a list of `count`; likewise. */
static uint32_t *row_of(tg_emu_exec *exec, uint32_t ***list, uint32_t count, uint32_t index)
{
    if (!clocks_of(exec)->rows) return NULL;
    if (!*list) *list = calloc(count, sizeof **list);
    if (!*list) {
        exec->no_memory = true;
        return NULL;
    }
    return row_at(exec, &(*list)[index]);
}

static uint32_t *known_of(tg_emu_exec *exec, uint32_t warp)
{
    return row_of(exec, &exec->tensor.known, exec->warp_count, warp);
}

static uint32_t *ended_of(tg_emu_exec *exec, uint32_t warp)
{
    return row_of(exec, &exec->tensor.ended, exec->warp_count, warp);
}

static uint32_t *issued_of(tg_emu_exec *exec, uint32_t thread)
{
    return row_of(exec, &exec->tensor.issued, exec->warp_count * TG_EMU_LANES, thread);
}

static void free_rows(uint32_t **rows, uint32_t count)
{
    for (uint32_t i = 0; rows && i < count; i++) free(rows[i]);
    free(rows);
}

void tg_emu_tensor_order_free(tg_emu_exec *exec)
{
    tg_emu_tensor_state *t = &exec->tensor;
    free_rows(t->known, exec->warp_count);
    free_rows(t->ended, exec->warp_count);
    free_rows(t->issued, exec->warp_count * TG_EMU_LANES);
    free(t->freed);
}

/* ---- actors ---- */

static tg_emu_tensor_actor actor_behind(tg_emu_exec *exec, uint32_t thread, const uint32_t *issued)
{
    const uint32_t *known = known_of(exec, warp_of(thread));
    if (!known) return (tg_emu_tensor_actor){0};
    const uint32_t actor = tg_emu_new_actor_behind(&exec->sync, known, issued);
    return (tg_emu_tensor_actor){actor, tg_emu_clock_step(clocks_of(exec), actor)};
}

tg_emu_tensor_actor tg_emu_tensor_actor_of_warp(tg_emu_exec *exec, uint32_t thread)
{
    return actor_behind(exec, thread, NULL);
}

tg_emu_tensor_actor tg_emu_tensor_actor_of_thread(tg_emu_exec *exec, uint32_t thread)
{
    return actor_behind(exec, thread, issued_of(exec, thread));
}

static void note(uint32_t *row, tg_emu_tensor_actor actor)
{
    if (row && row[actor.number] < actor.step) row[actor.number] = actor.step;
}

void tg_emu_tensor_issued(tg_emu_exec *exec, uint32_t thread, tg_emu_tensor_actor actor)
{
    uint32_t *issued = issued_of(exec, thread);
    if (issued)
        tg_emu_clock_join(clocks_of(exec), issued, tg_emu_clock(clocks_of(exec), actor.number));
}

/* What the actor knew when it began, the warp knows already. */
void tg_emu_tensor_awaited(tg_emu_exec *exec, uint32_t thread, tg_emu_tensor_actor actor)
{
    note(known_of(exec, warp_of(thread)), actor);
    note(ended_of(exec, warp_of(thread)), actor);
}

void tg_emu_tensor_freed(tg_emu_exec *exec, tg_emu_tensor_actor actor)
{
    uint32_t *freed = row_at(exec, &exec->tensor.freed);
    if (freed)
        tg_emu_clock_join(clocks_of(exec), freed, tg_emu_clock(clocks_of(exec), actor.number));
}

void tg_emu_tensor_allocated(tg_emu_exec *exec, uint32_t thread)
{
    uint32_t *const rows[2] = {known_of(exec, warp_of(thread)), ended_of(exec, warp_of(thread))};
    const uint32_t *freed = exec->tensor.freed;
    for (int i = 0; freed && i < 2; i++)
        if (rows[i]) tg_emu_clock_join(clocks_of(exec), rows[i], freed);
}

/* ---- fences ---- */

tg_emu_step tg_emu_exec_tensor_fence(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const tg_emu_clocks *c = clocks_of(exec);
    const uint32_t first = exec->warp->first_tid, warp = warp_of(first);
    const bool is_before = inst->flags & TG_EMU_TENSOR_BEFORE;
    uint32_t *row = is_before ? ended_of(exec, warp) : known_of(exec, warp);
    for (unsigned lane = 0; row && lane < TG_EMU_LANES; lane++) {
        if (!(mask >> lane & 1)) continue;
        if (is_before)
            tg_emu_clock_acquire(c, first + lane, row);
        else
            tg_emu_clock_join(c, row, tg_emu_clock(c, first + lane));
    }
    return exec->no_memory ? TG_EMU_TRAPPED : TG_EMU_ON;
}
