#include "emulator/barrier.h"

#include "emulator/epoch.h"
#include "emulator/sync.h"
#include "emulator/trapping.h"
#include "emulator/warp.h"

/* ---- arriving ---- */

static tg_emu_step trap_lane(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                             const char *what, uint32_t value)
{
    return tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_DIVERGENT_BARRIER, "%s %u", what,
                          value);
}

static uint32_t whole_cta(const tg_emu_exec *exec) { return exec->cta_warps * TG_EMU_LANES; }

/* Reads an operand that must be the same in all lanes. */
static bool read_same(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned operand, uint32_t mask,
                      const char *what, uint32_t *out, tg_emu_step *step)
{
    const uint32_t *values = tg_emu_at(exec, &inst->in[operand]);
    *out = values[tg_emu_first_lane(mask)];
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        if (!(mask >> lane & 1) || values[lane] == *out) continue;
        *step = trap_lane(exec, inst, lane, what, values[lane]);
        return false;
    }
    return true;
}

/* The first warp of the CTA that a warp belongs to. */
static tg_emu_warp *first_of(const tg_emu_exec *exec, const tg_emu_warp *w)
{
    return &exec->warps[w->cta->rank * exec->cta_warps];
}

/* Another warp at the barrier, which must name as many threads. */
static const tg_emu_warp *another_at(const tg_emu_exec *exec, uint32_t number)
{
    const tg_emu_warp *warps = first_of(exec, exec->warp);
    for (uint32_t i = 0; i < exec->cta_warps; i++)
        if (warps[i].state == TG_EMU_AT_BARRIER && warps[i].barrier == number) return &warps[i];
    return NULL;
}

static bool read_operands(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask,
                          tg_emu_step *step)
{
    tg_emu_warp *w = exec->warp;
    const unsigned lane = tg_emu_first_lane(mask);
    w->barrier_threads = whole_cta(exec);
    if (!read_same(exec, inst, 0, mask, "another lane of the warp is at another barrier than",
                   &w->barrier, step))
        return false;
    if (w->barrier >= TG_EMU_BARRIERS) {
        *step = trap_lane(exec, inst, lane, "a CTA has the barriers 0 to 15, and not", w->barrier);
        return false;
    }
    if (inst->in_count > 1 &&
        !read_same(exec, inst, 1, mask, "another lane of the warp counts other threads than",
                   &w->barrier_threads, step))
        return false;
    if (w->barrier_threads == 0 || w->barrier_threads % TG_EMU_LANES ||
        w->barrier_threads > whole_cta(exec)) {
        *step =
            trap_lane(exec, inst, lane,
                      "a barrier is for whole warps of the CTA, so that it cannot be for so many "
                      "threads:",
                      w->barrier_threads);
        return false;
    }
    const tg_emu_warp *other = another_at(exec, w->barrier);
    if (!other || other->barrier_threads == w->barrier_threads) return true;
    *step = trap_lane(exec, inst, lane, "another warp at the barrier counts other threads than",
                      w->barrier_threads);
    return false;
}

tg_emu_step tg_emu_exec_barrier(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_warp *w = exec->warp;
    tg_emu_step step;
    if (mask == 0) { /* the guard keeps all of them out */
        exec->group->pc++;
        return TG_EMU_CONTROL;
    }
    if (mask != exec->group->mask)
        return tg_emu_trap_at(exec, inst, exec->group->mask & ~mask, TG_EMU_TRAP_DIVERGENT_BARRIER,
                              "the barrier's predicate keeps lane %u of the warp out",
                              tg_emu_first_lane(exec->group->mask & ~mask));
    if (!tg_emu_gather(exec, inst, w->members, TG_EMU_TRAP_DIVERGENT_BARRIER, &step)) return step;
    if (!read_operands(exec, inst, mask, &step)) return step;
    w->barrier_pc = exec->group->pc++;
    w->state = TG_EMU_AT_BARRIER;
    return TG_EMU_CONTROL;
}

/* ---- going on ---- */

/* The threads that are at the warp's barrier; `masks` has those of each warp of the CTA. */
static uint32_t count_there(const tg_emu_exec *exec, const tg_emu_warp *w, uint32_t *masks)
{
    uint32_t there = 0;
    for (uint32_t i = 0; i < exec->cta_warps; i++) {
        const tg_emu_warp *other = first_of(exec, w) + i;
        const bool is_there = other->state == TG_EMU_AT_BARRIER && other->barrier == w->barrier;
        masks[i] = is_there ? other->members : 0;
        there += is_there ? TG_EMU_LANES : 0;
    }
    return there;
}

void tg_emu_barrier_settle(tg_emu_exec *exec, const tg_emu_warp *w)
{
    uint32_t masks[TG_EMU_LANES] = {0}; /* there are as many warps at most */
    if (count_there(exec, w, masks) < w->barrier_threads) return;
    if (exec->sync.clocks.rows)
        tg_emu_clock_meet(&exec->sync.clocks, first_of(exec, w)->first_tid, masks, exec->cta_warps,
                          exec->sync.scratch);
    if (w->barrier_threads == whole_cta(exec)) tg_emu_epoch_begin(exec, false);
    for (uint32_t i = 0; i < exec->cta_warps; i++)
        if (masks[i]) first_of(exec, w)[i].state = TG_EMU_READY;
}

tg_emu_step tg_emu_exec_warp_barrier(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_step step;
    uint32_t wanted;
    if (!read_same(exec, inst, 0, mask, "another lane has another mask than", &wanted, &step))
        return step;
    if (mask & ~wanted)
        return trap_lane(exec, inst, tg_emu_first_lane(mask & ~wanted),
                         "the thread is not in its own mask", wanted);
    const uint32_t kept_out = wanted & exec->group->mask & ~mask;
    if (kept_out)
        return trap_lane(exec, inst, tg_emu_first_lane(kept_out),
                         "the barrier's predicate keeps the thread out, which is in the mask",
                         wanted);
    if (!tg_emu_gather(exec, inst, wanted & exec->warp->live, TG_EMU_TRAP_DIVERGENT_BARRIER, &step))
        return step;
    if (exec->sync.clocks.rows)
        tg_emu_clock_meet(&exec->sync.clocks, exec->warp->first_tid, &mask, 1, exec->sync.scratch);
    return TG_EMU_ON;
}

/* ---- never going on ---- */

/* The last warp of the CTA that has left the kernel; NULL if none has. */
static const tg_emu_warp *gone_of(const tg_emu_exec *exec, const tg_emu_warp *w)
{
    const tg_emu_warp *warps = first_of(exec, w), *gone = NULL;
    for (uint32_t i = 0; i < exec->cta_warps; i++)
        if (warps[i].state == TG_EMU_DONE) gone = &warps[i];
    return gone;
}

tg_emu_step tg_emu_barrier_trap_stuck(tg_emu_exec *exec)
{
    tg_emu_warp *waiting = NULL;
    uint32_t masks[TG_EMU_LANES];
    for (uint32_t i = 0; i < exec->warp_count; i++)
        if (exec->warps[i].state == TG_EMU_AT_BARRIER) waiting = &exec->warps[i];
    if (!waiting) return TG_EMU_ON;
    const tg_emu_warp *gone = gone_of(exec, waiting);
    const tg_emu_inst *inst = &exec->entry->code[waiting->barrier_pc];
    exec->warp = waiting;
    if (gone && waiting->barrier_threads == whole_cta(exec))
        return tg_emu_trap_at(exec, inst, waiting->live, TG_EMU_TRAP_DIVERGENT_BARRIER,
                              "warp %u of the CTA does not come: it has left the kernel",
                              gone->first_tid / TG_EMU_LANES % exec->cta_warps);
    return tg_emu_trap_at(exec, inst, waiting->live, TG_EMU_TRAP_DEADLOCK,
                          "%u of %u threads are at barrier %u, and no other can come",
                          count_there(exec, waiting, masks), waiting->barrier_threads,
                          waiting->barrier);
}
