#include "emulator/mbarrier.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/list.h"
#include "emulator/cluster.h"
#include "emulator/find.h"
#include "emulator/memory_flags.h"
#include "emulator/spin.h"
#include "emulator/order.h"
#include "emulator/sync.h"
#include "emulator/trapping.h"
#include "emulator/warp.h"

enum { BYTES = 8, MOST = (1 << 20) - 1 }; /* of arrivals, and of bytes of a phase */

static const uint32_t *counts_of(const tg_emu_exec *exec, const tg_emu_inst *inst)
{
    return tg_emu_at(exec, &inst->in[1]);
}

static tg_emu_step trap(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane, const char *what,
                        int64_t value)
{
    return tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_MBARRIER, "%s: %" PRId64, what,
                          value);
}

/* ---- finding ---- */

static tg_emu_mbarrier *at_offset(tg_emu_sync *s, const tg_emu_cta *cta, uint64_t offset)
{
    for (size_t i = 0; i < s->mbarrier_count; i++)
        if (s->mbarriers[i].offset == offset && s->mbarriers[i].cta == cta->rank)
            return &s->mbarriers[i];
    return NULL;
}

tg_emu_mbarrier *tg_emu_mbarrier_find(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                      tg_emu_cta *cta, uint64_t address, const tg_emu_visit *copy)
{
    tg_emu_mbarrier *b = at_offset(&exec->sync, cta, address - TG_EMU_SHARED_START);
    if (!tg_emu_cluster_is_there(exec, inst, lane, cta)) return NULL;
    if (!tg_emu_note_mbarrier(exec, inst, lane, cta, address, copy)) return NULL;
    if (!b)
        tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_MBARRIER,
                       "there is no initialised mbarrier at shared address 0x%" PRIx64, address);
    return b;
}

/* The same at a lane's address, which may be of another CTA. */
static tg_emu_mbarrier *find_of_lane(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                     uint64_t address)
{
    tg_emu_cta *cta = exec->warp->cta;
    if (inst->flags & TG_EMU_MEMORY_CLUSTER) cta = tg_emu_cluster_find(exec, inst, lane, &address);
    return cta ? tg_emu_mbarrier_find(exec, inst, lane, cta, address, NULL) : NULL;
}

/* ---- beginning and end ---- */

static bool make_rows(const tg_emu_exec *exec, tg_emu_mbarrier *b)
{
    const tg_emu_clocks *c = &exec->sync.clocks;
    b->gathering = tg_emu_clocks_row(c);
    b->complete = tg_emu_clocks_row(c);
    if (exec->cta_count == 1) return b->gathering && b->complete;
    b->gathering_wide = tg_emu_clocks_row(c);
    b->complete_wide = tg_emu_clocks_row(c);
    return b->gathering && b->complete && b->gathering_wide && b->complete_wide;
}

static tg_emu_step begin(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                         uint64_t address, uint32_t count)
{
    tg_emu_sync *s = &exec->sync;
    if (count == 0 || count > MOST)
        return trap(exec, inst, lane, "an mbarrier counts 1 to 1048575 arrivals, and not", count);
    tg_emu_mbarrier *list =
        tg_list_grow(s->mbarriers, s->mbarrier_count, &s->mbarrier_capacity, sizeof *list);
    if (list) s->mbarriers = list;
    tg_emu_mbarrier b = {.cta = exec->warp->cta->rank,
                         .offset = (uint32_t)(address - TG_EMU_SHARED_START),
                         .count = count,
                         .pending = count};
    if (!list || (s->clocks.rows && !make_rows(exec, &b))) {
        tg_emu_sync_forget_rows(&b);
        exec->no_memory = true;
        return TG_EMU_TRAPPED;
    }
    list[s->mbarrier_count++] = b;
    tg_emu_spin_changed(exec);
    memset(exec->warp->cta->shared_state + b.offset, TG_EMU_SHARED_MBARRIER, BYTES);
    return TG_EMU_ON;
}

tg_emu_step tg_emu_exec_mbarrier_init(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    unsigned char *data[TG_EMU_LANES];
    uint64_t addresses[TG_EMU_LANES];
    tg_emu_addresses_of(exec, inst, addresses);
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        if (!(mask >> lane & 1)) continue;
        if (!tg_emu_find_lanes(exec, inst, 1u << lane, BYTES, TG_EMU_WRITE, false, data) ||
            begin(exec, inst, lane, addresses[lane], counts_of(exec, inst)[lane]) != TG_EMU_ON)
            return TG_EMU_TRAPPED;
    }
    return TG_EMU_ON;
}

/* Behind it the memory is ordinary again, and undefined. */
tg_emu_step tg_emu_exec_mbarrier_inval(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_sync *s = &exec->sync;
    unsigned char *data[TG_EMU_LANES];
    uint64_t addresses[TG_EMU_LANES];
    tg_emu_addresses_of(exec, inst, addresses);
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        if (!(mask >> lane & 1)) continue;
        tg_emu_cta *cta = exec->warp->cta;
        tg_emu_mbarrier *b = tg_emu_mbarrier_find(exec, inst, lane, cta, addresses[lane], NULL);
        if (!b) return TG_EMU_TRAPPED;
        memset(cta->shared_state + b->offset, TG_EMU_SHARED_UNDEFINED, BYTES);
        tg_emu_sync_forget_rows(b);
        *b = s->mbarriers[--s->mbarrier_count];
        if (!tg_emu_find_lanes(exec, inst, 1u << lane, BYTES, TG_EMU_WRITE, false, data))
            return TG_EMU_TRAPPED; /* as a write, it races with operations of others */
        memset(data[lane] - cta->shared + cta->shared_state, TG_EMU_SHARED_UNDEFINED, BYTES);
    }
    return TG_EMU_ON;
}

/* ---- phases ---- */

/* What was gathered is complete, and the other row is for the next phase. */
static void turn(const tg_emu_exec *exec, uint32_t **gathering, uint32_t **complete)
{
    uint32_t *const row = *complete;
    *complete = *gathering;
    *gathering = row;
    if (row) memset(row, 0, (size_t)2 * exec->sync.clocks.actors * sizeof *row);
}

static void complete_if_ready(tg_emu_exec *exec, tg_emu_mbarrier *b)
{
    if (b->pending || b->bytes) return;
    b->phase++;
    b->pending = b->count;
    turn(exec, &b->gathering, &b->complete);
    turn(exec, &b->gathering_wide, &b->complete_wide);
    tg_emu_resume_all(exec);
}

static tg_emu_step add_bytes(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                             tg_emu_mbarrier *b, int64_t bytes)
{
    b->bytes += bytes;
    if (b->bytes > MOST || b->bytes < -MOST)
        return trap(exec, inst, lane, "a phase lacks at most 1048575 bytes, and not", b->bytes);
    return TG_EMU_ON;
}

/* Where what the warp has done is handed on: to threads of another CTA only in their scope. */
static uint32_t *gathering_for(const tg_emu_exec *exec, const tg_emu_inst *inst,
                               const tg_emu_mbarrier *b)
{
    if (b->cta == exec->warp->cta->rank) return b->gathering;
    return inst->flags & TG_EMU_MBARRIER_WIDE ? b->gathering_wide : NULL;
}

static tg_emu_step count_arrivals(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                  tg_emu_mbarrier *b, uint32_t count)
{
    if (count == 0 || count > b->pending)
        return trap(exec, inst, lane, "arrivals beyond those that the phase waits for",
                    (int64_t)count - b->pending);
    b->pending -= count;
    return TG_EMU_ON;
}

static tg_emu_step arrive(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                          tg_emu_mbarrier *b, uint32_t count)
{
    if (count_arrivals(exec, inst, lane, b, count) != TG_EMU_ON) return TG_EMU_TRAPPED;
    uint32_t *const row = gathering_for(exec, inst, b);
    if (row) tg_emu_clock_release(&exec->sync.clocks, exec->warp->first_tid + lane, row);
    return TG_EMU_ON;
}

tg_emu_step tg_emu_mbarrier_arrive_for(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                       tg_emu_mbarrier *b, uint32_t actor)
{
    if (count_arrivals(exec, inst, lane, b, 1) != TG_EMU_ON) return TG_EMU_TRAPPED;
    if (b->gathering) tg_emu_clock_release(&exec->sync.clocks, actor, b->gathering);
    complete_if_ready(exec, b);
    return TG_EMU_ON;
}

tg_emu_step tg_emu_mbarrier_bring(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                  tg_emu_mbarrier *b, int64_t bytes, uint32_t actor)
{
    if (add_bytes(exec, inst, lane, b, -bytes) != TG_EMU_ON) return TG_EMU_TRAPPED;
    if (b->gathering) tg_emu_clock_release(&exec->sync.clocks, actor, b->gathering);
    complete_if_ready(exec, b);
    return TG_EMU_ON;
}

/* ---- instructions ---- */

typedef tg_emu_step lane_step(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                              tg_emu_mbarrier *b, uint32_t count);

/* Lanes execute one after the other. */
static tg_emu_step each_lane(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask,
                             lane_step *step)
{
    uint64_t addresses[TG_EMU_LANES];
    tg_emu_addresses_of(exec, inst, addresses);
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        if (!(mask >> lane & 1)) continue;
        tg_emu_mbarrier *b = find_of_lane(exec, inst, lane, addresses[lane]);
        if (!b || step(exec, inst, lane, b, counts_of(exec, inst)[lane]) != TG_EMU_ON)
            return TG_EMU_TRAPPED;
        tg_emu_spin_changed(exec);
        complete_if_ready(exec, b);
    }
    return TG_EMU_ON;
}

tg_emu_step tg_emu_exec_mbarrier_arrive(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    return each_lane(exec, inst, mask, arrive);
}

static tg_emu_step expect(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                          tg_emu_mbarrier *b, uint32_t bytes)
{
    return add_bytes(exec, inst, lane, b, bytes);
}

tg_emu_step tg_emu_exec_mbarrier_expect(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    return each_lane(exec, inst, mask, expect);
}

static tg_emu_step arrive_expect(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                 tg_emu_mbarrier *b, uint32_t bytes)
{
    if (add_bytes(exec, inst, lane, b, bytes) != TG_EMU_ON) return TG_EMU_TRAPPED;
    return arrive(exec, inst, lane, b, 1);
}

tg_emu_step tg_emu_exec_mbarrier_arrive_expect(tg_emu_exec *exec, const tg_emu_inst *inst,
                                               uint32_t mask)
{
    return each_lane(exec, inst, mask, arrive_expect);
}

/* mbarrier.complete_tx is relaxed: it hands on what the thread has done before its last fence. */
static tg_emu_step complete(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                            tg_emu_mbarrier *b, uint32_t bytes)
{
    tg_emu_sync *s = &exec->sync;
    uint32_t *const row = gathering_for(exec, inst, b);
    const uint32_t *fenced = row ? s->fenced[exec->warp->first_tid + lane] : NULL;
    if (fenced) tg_emu_clock_join(&s->clocks, row, fenced);
    return add_bytes(exec, inst, lane, b, -(int64_t)bytes);
}

tg_emu_step tg_emu_exec_mbarrier_complete(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    return each_lane(exec, inst, mask, complete);
}

/* ---- waiting ---- */

static void acquire(const tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t thread,
                    const tg_emu_mbarrier *b)
{
    const tg_emu_clocks *c = &exec->sync.clocks;
    if (b->complete) tg_emu_clock_acquire(c, thread, b->complete);
    if (b->complete_wide && inst->flags & TG_EMU_MBARRIER_WIDE)
        tg_emu_clock_acquire(c, thread, b->complete_wide);
}

/* The lanes whose phase is complete; false after a trap. */
static bool find_complete(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask, uint32_t *out)
{
    uint64_t addresses[TG_EMU_LANES];
    tg_emu_addresses_of(exec, inst, addresses);
    *out = 0;
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        if (!(mask >> lane & 1)) continue;
        const tg_emu_mbarrier *b = find_of_lane(exec, inst, lane, addresses[lane]);
        if (!b) return false;
        if ((b->phase & 1) == (counts_of(exec, inst)[lane] & 1)) continue;
        *out |= 1u << lane;
        acquire(exec, inst, exec->warp->first_tid + lane, b);
    }
    return true;
}

static tg_emu_step answer(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask, uint32_t done)
{
    uint32_t *truth = tg_emu_at(exec, &inst->out[0]);
    *truth = (*truth & ~mask) | done;
    return TG_EMU_ON;
}

tg_emu_step tg_emu_exec_mbarrier_test(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    uint32_t done;
    if (!find_complete(exec, inst, mask, &done)) return TG_EMU_TRAPPED;
    return answer(exec, inst, mask, done);
}

/* A GPU may also give up after some time; with a seed, so does the emulator now and then. */
tg_emu_step tg_emu_exec_mbarrier_wait(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    uint32_t done;
    if (!find_complete(exec, inst, mask, &done)) return TG_EMU_TRAPPED;
    const bool gives_up = exec->launch->seed && tg_emu_random(&exec->random) % 4 == 0;
    if (done == mask || gives_up) return answer(exec, inst, mask, done);
    return tg_emu_suspend(exec);
}

tg_emu_step tg_emu_mbarrier_trap_stuck(tg_emu_exec *exec)
{
    for (uint32_t i = 0; i < exec->warp_count; i++) {
        tg_emu_warp *w = &exec->warps[i];
        for (unsigned g = 0; w->state == TG_EMU_AT_PHASE && g < w->group_count; g++) {
            const tg_emu_group *group = &w->groups[g];
            const tg_emu_inst *inst = &exec->entry->code[group->pc];
            if (group->waits != TG_EMU_WAITS_FOR_PHASE || inst->exec != tg_emu_exec_mbarrier_wait)
                continue;
            exec->warp = w;
            exec->bank[TG_EMU_FRAME] = w->frame;
            uint64_t addresses[TG_EMU_LANES];
            tg_emu_addresses_of(exec, inst, addresses);
            const uint64_t address = addresses[tg_emu_first_lane(group->mask)];
            const tg_emu_mbarrier *b =
                at_offset(&exec->sync, w->cta, address - TG_EMU_SHARED_START);
            return tg_emu_trap_at(exec, inst, group->mask, TG_EMU_TRAP_DEADLOCK,
                                  "phase %u of the mbarrier at 0x%" PRIx64 " lacks %u arrivals and "
                                  "%" PRId64 " bytes, and no other thread can go on",
                                  b ? b->phase : 0, address, b ? b->pending : 0, b ? b->bytes : 0);
        }
    }
    return TG_EMU_ON;
}
