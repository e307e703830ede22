#include "emulator/cluster.h"

#include <inttypes.h>
#include <stdlib.h>

#include "emulator/trapping.h"

/* ---- addresses ---- */

tg_emu_step tg_emu_exec_mapa(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const bool is_wide = inst->flags & TG_EMU_MAPA_WIDE;
    const unsigned bytes = is_wide ? 8 : 4;
    const uint32_t *ranks = tg_emu_at(exec, &inst->in[1]);
    unsigned char *out = tg_emu_at(exec, &inst->out[0]);
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        if (!(mask >> lane & 1)) continue;
        uint64_t address = tg_emu_lane_bits(tg_emu_at(exec, &inst->in[0]), bytes, lane) +
                           (uint64_t)inst->immediate;
        if (ranks[lane] >= exec->cta_count)
            return tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_CLUSTER,
                                  "the cluster has CTAs of rank 0 to %u, and not %u",
                                  exec->cta_count - 1, ranks[lane]);
        if (address >> TG_EMU_RANK_BITS)
            return tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_CLUSTER,
                                  "0x%" PRIx64 " is no address of shared memory of the own CTA",
                                  address);
        address |= (uint64_t)(ranks[lane] + 1) << TG_EMU_RANK_BITS;
        memcpy(out + (size_t)lane * bytes, &address, bytes);
    }
    return TG_EMU_ON;
}

static bool trap_cta(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                     const tg_emu_cta *cta, const char *what)
{
    tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_CLUSTER,
                   "the CTA of rank %u, whose shared memory this is, %s", cta->rank, what);
    return false;
}

bool tg_emu_cluster_is_there(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                             const tg_emu_cta *cta)
{
    return !cta->is_over || trap_cta(exec, inst, lane, cta, "has ended");
}

tg_emu_cta *tg_emu_cluster_find(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                                uint64_t *address)
{
    const uint64_t rank = *address >> TG_EMU_RANK_BITS;
    if (rank == 0) return exec->warp->cta;
    if (rank > exec->cta_count) {
        tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_OUT_OF_BOUNDS,
                       "0x%" PRIx64 " is no address of shared memory of the cluster", *address);
        return NULL;
    }
    *address &= (UINT64_C(1) << TG_EMU_RANK_BITS) - 1;
    tg_emu_cta *cta = &exec->ctas[rank - 1];
    return tg_emu_cluster_is_there(exec, inst, lane, cta) ? cta : NULL;
}

/* ---- accesses of other CTAs ---- */

/* The last access of an actor to the CTA's shared memory; step 0: none. */
typedef struct last_visit {
    uint32_t step, thread, inst;
} last_visit;

struct tg_emu_farewell {
    uint32_t *first;    /* of each thread of the CTA: its first step */
    uint32_t *known;    /* a row: what the threads that have ended know */
    last_visit *visits; /* of each actor */
};

static uint32_t threads_of_cta(const tg_emu_exec *exec) { return exec->cta_warps * TG_EMU_LANES; }

/* Whether the actor knows of some thread of the CTA that it has begun. */
static bool knows_start(const tg_emu_exec *exec, uint32_t actor, const tg_emu_cta *cta)
{
    const uint32_t *known = tg_emu_clock(&exec->sync.clocks, actor),
                   start = cta->rank * threads_of_cta(exec);
    for (uint32_t t = 0; t < threads_of_cta(exec); t++)
        if (known[start + t] >= cta->farewell->first[t]) return true;
    return false;
}

/* Accesses of the CTA's own threads, and of copies that they start to it, need no order with its
 * end.  A copy from it to another CTA may still read then. */
static bool is_own(const tg_emu_exec *exec, const tg_emu_cta *cta, const tg_emu_visit *visit)
{
    if (visit->is_copy && visit->touch == TG_EMU_READ) return false;
    return tg_emu_cta_of(exec, visit->thread) == cta;
}

bool tg_emu_cluster_visit(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                          tg_emu_cta *cta, const tg_emu_visit *visit)
{
    if (!cta->farewell || is_own(exec, cta, visit)) return true;
    cta->farewell->visits[visit->actor] = (last_visit){visit->step, visit->thread, visit->inst};
    return knows_start(exec, visit->actor, cta) ||
           trap_cta(exec, inst, lane, cta, "may not have begun");
}

/* ---- ends ---- */

void tg_emu_cluster_leave(tg_emu_exec *exec, uint32_t mask)
{
    const tg_emu_farewell *f = exec->warp->cta->farewell;
    for (unsigned lane = 0; f && lane < TG_EMU_LANES; lane++)
        if (mask >> lane & 1)
            tg_emu_clock_release(&exec->sync.clocks, exec->warp->first_tid + lane, f->known);
}

/* Traps where an access of another CTA, or of a copy, may come after the end of this one. */
static tg_emu_step trap_late_visit(tg_emu_exec *exec, const tg_emu_cta *cta)
{
    const tg_emu_farewell *f = cta->farewell;
    for (uint32_t actor = 0; actor < exec->sync.clocks.actors; actor++) {
        const last_visit *last = &f->visits[actor];
        if (last->step <= f->known[actor]) continue;
        exec->warp = &exec->warps[last->thread / TG_EMU_LANES];
        return tg_emu_trap_at(exec, &exec->entry->code[last->inst],
                              1u << last->thread % TG_EMU_LANES, TG_EMU_TRAP_CLUSTER,
                              "the CTA of rank %u, whose shared memory this is, may have ended: it "
                              "waits for nothing that comes after this access",
                              cta->rank);
    }
    return TG_EMU_ON;
}

tg_emu_step tg_emu_cluster_end_cta(tg_emu_exec *exec, tg_emu_cta *cta)
{
    cta->is_over = true;
    return cta->farewell ? trap_late_visit(exec, cta) : TG_EMU_ON;
}

/* ---- a launch ---- */

static void free_farewell(tg_emu_farewell *f)
{
    if (!f) return;
    free(f->first);
    free(f->known);
    free(f->visits);
    free(f);
}

static tg_emu_farewell *new_farewell(const tg_emu_exec *exec)
{
    const tg_emu_clocks *c = &exec->sync.clocks;
    tg_emu_farewell *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->first = calloc(threads_of_cta(exec), sizeof *f->first);
    f->known = tg_emu_clocks_row(c);
    f->visits = calloc(c->actors, sizeof *f->visits);
    if (f->first && f->known && f->visits) return f;
    free_farewell(f);
    return NULL;
}

bool tg_emu_cluster_prepare(tg_emu_exec *exec)
{
    if (exec->cta_count == 1 || !exec->sync.clocks.rows) return true;
    for (uint32_t i = 0; i < exec->cta_count; i++) {
        exec->ctas[i].farewell = new_farewell(exec);
        if (!exec->ctas[i].farewell) return false;
    }
    return true;
}

void tg_emu_cluster_begin(tg_emu_exec *exec)
{
    const tg_emu_clocks *c = &exec->sync.clocks;
    for (uint32_t i = 0; i < exec->cta_count; i++) {
        tg_emu_farewell *f = exec->ctas[i].farewell;
        exec->ctas[i].is_over = false;
        if (!f) continue;
        memset(f->known, 0, (size_t)2 * c->actors * sizeof *f->known);
        memset(f->visits, 0, c->actors * sizeof *f->visits);
        for (uint32_t t = 0; t < threads_of_cta(exec); t++) {
            const uint32_t actor = i * threads_of_cta(exec) + t;
            f->first[t] = ++tg_emu_clock(c, actor)[actor];
        }
    }
}

void tg_emu_cluster_end(tg_emu_exec *exec)
{
    for (uint32_t i = 0; i < exec->cta_count; i++) free_farewell(exec->ctas[i].farewell);
}
