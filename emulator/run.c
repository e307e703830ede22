/* Runs a launch: clusters of CTAs one after the other, the warps of each in turn.  Without clusters
 * each CTA is one by itself. */
#include "emulator/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/float_env.h"
#include "emulator/barrier.h"
#include "emulator/bulk.h"
#include "emulator/cluster.h"
#include "emulator/cluster_barrier.h"
#include "emulator/cp_async.h"
#include "emulator/epoch.h"
#include "emulator/mbarrier.h"
#include "emulator/order.h"
#include "emulator/spin.h"
#include "emulator/tensor_alloc.h"
#include "emulator/tensor_ops.h"
#include "emulator/trapping.h"
#include "emulator/warp.h"
#include "emulator/wgmma.h"
#include "emulator/wgmma_state.h"

enum {
    MOST_THREADS = 1024,
    MOST_SHARED = 227 * 1024,
    NATURAL_QUANTUM = 1 << 14,
    CHECK_EVERY = 1 << 16,
    MOST_CLOCKS = 4096 /* threads of a cluster */
};

/* -- does the launch fit the entry? -- */

static tg_status check_block(const tg_emu_entry *e, const tg_emu_launch *l, tg_diags *diags)
{
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (l->block[i] == 0 || l->grid[i] == 0)
            return tg_fail(diags, TG_ERR_USAGE, NULL, "an extent of 0");
        if (l->block[i] > MOST_THREADS || (threads *= l->block[i]) > MOST_THREADS)
            return tg_fail(diags, TG_ERR_USAGE, NULL, "more than %d threads a block", MOST_THREADS);
        if (i > 0 && l->grid[i] > 65535)
            return tg_fail(diags, TG_ERR_USAGE, NULL, "more than 65,535 blocks along y or z");
        if (e->required[0] && l->block[i] != e->required[i])
            return tg_fail(diags, TG_ERR_USAGE, NULL,
                           "%s requires blocks of %u x %u x %u threads (.reqntid)", e->name,
                           e->required[0], e->required[1], e->required[2]);
    }
    if (e->most[0] && threads > (uint64_t)e->most[0] * e->most[1] * e->most[2])
        return tg_fail(diags, TG_ERR_USAGE, NULL, "%s allows fewer threads a block (.maxntid)",
                       e->name);
    return l->grid[0] > INT32_MAX ? tg_fail(diags, TG_ERR_USAGE, NULL, "too many blocks along x")
                                  : TG_OK;
}

static tg_status check_clusters(const tg_emu_entry *e, const tg_emu_launch *l, tg_diags *diags)
{
    const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2],
                   ctas = (uint64_t)e->cluster[0] * e->cluster[1] * e->cluster[2];
    for (int i = 0; i < 3; i++)
        if (l->grid[i] % e->cluster[i])
            return tg_fail(diags, TG_ERR_USAGE, NULL,
                           "%s requires grids of clusters of %u x %u x %u blocks "
                           "(.reqnctapercluster)",
                           e->name, e->cluster[0], e->cluster[1], e->cluster[2]);
    if (ctas > 1 && l->races && ctas * threads > MOST_CLOCKS)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "races in a cluster of more than %d threads", MOST_CLOCKS);
    return TG_OK;
}

static tg_status check_launch(const tg_emu_module *module, const tg_emu_launch *l, tg_diags *diags)
{
    if (l->entry >= module->entry_count)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "the module has no such entry");
    const tg_emu_entry *e = &module->entries[l->entry];
    TG_TRY(check_block(e, l, diags));
    TG_TRY(check_clusters(e, l, diags));
    if (l->param_bytes != e->param_bytes)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "%s takes %zu bytes of parameters, not %zu",
                       e->name, e->param_bytes, l->param_bytes);
    if (l->shared_bytes > MOST_SHARED || l->shared_bytes + e->declared_bytes > MOST_SHARED)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "more than %d bytes of shared memory",
                       MOST_SHARED);
    if (l->cta_races && e->is_partial)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "races between CTAs of %s, in which a part of the threads meets", e->name);
    if (l->shared_bytes && !e->dynamic_align)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "%s has no dynamic shared memory (.extern .shared)", e->name);
    return TG_OK;
}

/* -- preparing -- */

static void set_special(tg_emu_warp *w, unsigned special, unsigned lane, uint32_t value)
{
    ((uint32_t *)(void *)(w->frame + (size_t)special * TG_EMU_SPECIAL_BYTES))[lane] = value;
}

/* The place of a CTA in its cluster. */
static void place_in_cluster(const tg_emu_entry *e, uint32_t rank, uint32_t out[3])
{
    out[0] = rank % e->cluster[0];
    out[1] = rank / e->cluster[0] % e->cluster[1];
    out[2] = rank / e->cluster[0] / e->cluster[1];
}

/* Sets what is the same for all clusters. */
static void prepare_warp(tg_emu_exec *exec, tg_emu_warp *w, uint32_t index)
{
    const tg_emu_launch *l = exec->launch;
    const tg_emu_entry *e = exec->entry;
    const uint32_t own = index % exec->cta_warps, left = exec->thread_count - own * TG_EMU_LANES;
    uint32_t in_cluster[3];
    w->cta = &exec->ctas[index / exec->cta_warps];
    w->first_tid = index * TG_EMU_LANES;
    place_in_cluster(e, w->cta->rank, in_cluster);
    w->members = left >= TG_EMU_LANES ? TG_EMU_ALL : (1u << left) - 1;
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        tg_emu_place place;
        tg_emu_place_thread(exec, w->first_tid + lane, &place);
        for (unsigned axis = 0; axis < 3; axis++) {
            set_special(w, TG_EMU_TID + axis, lane, place.tid[axis]);
            set_special(w, TG_EMU_NTID + axis, lane, l->block[axis]);
            set_special(w, TG_EMU_NCTAID + axis, lane, l->grid[axis]);
            set_special(w, TG_EMU_NCLUSTERID + axis, lane, l->grid[axis] / e->cluster[axis]);
            set_special(w, TG_EMU_CLUSTER_CTAID + axis, lane, in_cluster[axis]);
            set_special(w, TG_EMU_CLUSTER_NCTAID + axis, lane, e->cluster[axis]);
        }
        set_special(w, TG_EMU_CLUSTER_CTARANK, lane, w->cta->rank);
        set_special(w, TG_EMU_CLUSTER_NCTARANK, lane, exec->cta_count);
        set_special(w, TG_EMU_LANEID, lane, lane);
        set_special(w, TG_EMU_WARPID, lane, own);
    }
}

/* Gives registers that a kernel may read before it writes them bits of the seed. */
static void fill_registers(const tg_emu_exec *exec, unsigned char *frame)
{
    uint64_t state = exec->launch->seed;
    const size_t first = (size_t)TG_EMU_SPECIAL_COUNT * TG_EMU_SPECIAL_BYTES;
    for (size_t i = first; i + sizeof(uint64_t) <= exec->entry->frame_bytes;
         i += sizeof(uint64_t)) {
        const uint64_t bits = tg_emu_random(&state);
        memcpy(frame + i, &bits, sizeof bits);
    }
}

/* Allocates everything for the launch in one block of memory. */
static unsigned char *prepare(tg_emu_exec *exec)
{
    const tg_emu_entry *e = exec->entry;
    size_t frame = (e->frame_bytes + 63) & ~(size_t)63;
    size_t masks = ((size_t)e->register_count * sizeof(uint32_t) + 63) & ~(size_t)63;
    size_t shared = ((size_t)exec->shared_bytes + 63) & ~(size_t)63;
    size_t local = ((size_t)TG_EMU_LANES * e->local_bytes + 63) & ~(size_t)63;
    size_t warps = exec->warp_count * ((sizeof(tg_emu_warp) + 63) & ~(size_t)63);
    size_t ctas = exec->cta_count * ((sizeof(tg_emu_cta) + 63) & ~(size_t)63);
    unsigned char *all =
        aligned_alloc(64, warps + ctas + exec->warp_count * (frame + masks + 2 * local) +
                              exec->cta_count * 2 * shared + 64);
    if (!all) return NULL;
    unsigned char *at = all + warps + ctas;
    exec->warps = (tg_emu_warp *)(void *)all;
    exec->ctas = (tg_emu_cta *)(void *)(all + warps);
    for (uint32_t i = 0; i < exec->cta_count; i++, at += 2 * shared)
        exec->ctas[i] = (tg_emu_cta){.rank = i, .shared = at, .shared_state = at + shared};
    for (uint32_t i = 0; i < exec->warp_count; i++, at += frame + masks + 2 * local) {
        exec->warps[i] = (tg_emu_warp){.frame = at,
                                       .defined = (uint32_t *)(void *)(at + frame),
                                       .local = at + frame + masks,
                                       .local_state = at + frame + masks + local};
        memset(at, 0, frame);
        if (exec->launch->arbitrary_registers) fill_registers(exec, at);
        prepare_warp(exec, &exec->warps[i], i);
    }
    exec->shared_shadow.bytes = exec->shared_bytes;
    return all;
}

static void reset_shared(const tg_emu_exec *exec, const tg_emu_cta *cta)
{
    const tg_emu_entry *e = exec->entry;
    if (exec->shared_bytes == 0) return;
    memset(cta->shared_state, TG_EMU_SHARED_GUARD, exec->shared_bytes);
    for (size_t i = 0; i < e->shared_count; i++) {
        uint32_t bytes = e->shared[i].bytes ? e->shared[i].bytes : exec->dynamic_bytes;
        memset(cta->shared_state + e->shared[i].offset, TG_EMU_SHARED_UNDEFINED, bytes);
    }
}

/* `cluster` is the place of the cluster among all. */
static void begin_cta(const tg_emu_exec *exec, tg_emu_cta *cta, const uint32_t cluster[3])
{
    const tg_emu_entry *e = exec->entry;
    place_in_cluster(e, cta->rank, cta->ctaid);
    for (unsigned axis = 0; axis < 3; axis++) cta->ctaid[axis] += cluster[axis] * e->cluster[axis];
    for (uint32_t i = 0; i < exec->cta_warps; i++) {
        tg_emu_warp *w = &exec->warps[cta->rank * exec->cta_warps + i];
        for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
            for (unsigned axis = 0; axis < 3; axis++) {
                set_special(w, TG_EMU_CTAID + axis, lane, cta->ctaid[axis]);
                set_special(w, TG_EMU_CLUSTERID + axis, lane, cluster[axis]);
            }
        memset(w->defined, 0, e->register_count * sizeof *w->defined);
        w->defined[0] = TG_EMU_ALL;
        memset(w->local_state, 0, (size_t)TG_EMU_LANES * e->local_bytes);
        w->live = w->members;
        w->state = TG_EMU_READY;
        w->group_count = 1;
        w->groups[0] = (tg_emu_group){0, w->members, TG_EMU_WAITS_NOT};
        w->cluster_arrived = w->cluster_passes = 0;
        memset(w->copy_groups, 0, sizeof w->copy_groups);
        tg_emu_spin_begin(w);
    }
    reset_shared(exec, cta);
}

static void begin_cluster(tg_emu_exec *exec, uint64_t number)
{
    const tg_emu_launch *l = exec->launch;
    const uint32_t *extent = exec->entry->cluster,
                   clusters[2] = {l->grid[0] / extent[0], l->grid[1] / extent[1]};
    const uint32_t cluster[3] = {(uint32_t)(number % clusters[0]),
                                 (uint32_t)(number / clusters[0] % clusters[1]),
                                 (uint32_t)(number / clusters[0] / clusters[1])};
    for (uint32_t i = 0; i < exec->cta_count; i++) begin_cta(exec, &exec->ctas[i], cluster);
    tg_emu_sync_begin_cluster(exec);
    tg_emu_wgmma_begin_cluster(exec);
    tg_emu_tensor_forget(exec);
    tg_emu_cluster_begin(exec);
}

/* -- running -- */

/* Called when no warp is ready and not all have ended. */
static tg_emu_step unblock(tg_emu_exec *exec)
{
    if (tg_emu_bulk_do_one(exec) || tg_emu_tensor_do_one(exec))
        return exec->result->trapped ? TG_EMU_TRAPPED : TG_EMU_ON;
    tg_emu_step step = tg_emu_barrier_trap_stuck(exec);
    if (step == TG_EMU_ON) step = tg_emu_mbarrier_trap_stuck(exec);
    return step == TG_EMU_ON ? tg_emu_cluster_barrier_trap_stuck(exec) : step;
}

/* The next warp that is ready; NULL if all wait or have ended. */
static tg_emu_warp *choose_warp(tg_emu_exec *exec, uint32_t *last)
{
    bool is_seeded = exec->launch->seed != 0;
    uint32_t start =
        is_seeded ? (uint32_t)(tg_emu_random(&exec->random) % exec->warp_count) : *last;
    for (uint32_t i = 0; i < exec->warp_count; i++) {
        uint32_t index = (start + i) % exec->warp_count;
        if (exec->warps[index].state != TG_EMU_READY) continue;
        *last = is_seeded ? index : (index + 1) % exec->warp_count;
        return &exec->warps[index];
    }
    return NULL;
}

static tg_emu_step trap_limit(tg_emu_exec *exec, tg_emu_warp *w)
{
    exec->warp = w;
    return tg_emu_trap_at(exec, &exec->entry->code[w->groups[0].pc], w->groups[0].mask,
                          TG_EMU_TRAP_LIMIT, "%llu warp instructions and no end",
                          (unsigned long long)exec->launch->instruction_limit);
}

typedef struct tg_emu_run_state {
    uint64_t done, total;   /* numbers of clusters */
    uint64_t next_progress; /* number of warp instructions */
} tg_emu_run_state;

static bool is_stopped(tg_emu_exec *exec, tg_emu_run_state *run)
{
    if (!exec->launch->progress || exec->result->warp_instructions < run->next_progress)
        return false;
    run->next_progress = exec->result->warp_instructions + CHECK_EVERY;
    return exec->launch->progress(exec->launch->context, run->done * exec->cta_count,
                                  run->total * exec->cta_count) != 0;
}

static uint64_t quantum_of(tg_emu_exec *exec)
{
    uint64_t limit = exec->launch->instruction_limit, done = exec->result->warp_instructions;
    uint64_t quantum =
        exec->launch->seed ? 1 + tg_emu_random(&exec->random) % 256 : NATURAL_QUANTUM;
    return limit && quantum > limit - done ? limit - done : quantum;
}

/* A warp that has run may spin for ever, but a copy may still change what it looks at. */
static tg_emu_step trap_endless(tg_emu_exec *exec, tg_emu_warp *w)
{
    exec->warp = w;
    if (!tg_emu_spin_is_endless(exec)) return TG_EMU_ON;
    if (tg_emu_bulk_do_one(exec) || tg_emu_tensor_do_one(exec))
        return exec->result->trapped ? TG_EMU_TRAPPED : TG_EMU_ON;
    return tg_emu_spin_trap(exec);
}

/* A warp of the CTA has ended. */
static tg_emu_step end_cta_if_over(tg_emu_exec *exec, tg_emu_cta *cta)
{
    const tg_emu_warp *warps = &exec->warps[cta->rank * exec->cta_warps];
    for (uint32_t i = 0; i < exec->cta_warps; i++)
        if (warps[i].state != TG_EMU_DONE) return TG_EMU_ON;
    tg_emu_cp_async_end_cta(exec, cta);
    if (tg_emu_bulk_end_cta(exec, cta) == TG_EMU_TRAPPED) return TG_EMU_TRAPPED;
    if (tg_emu_wgmma_end_cta(exec, cta) == TG_EMU_TRAPPED) return TG_EMU_TRAPPED;
    if (tg_emu_tensor_end_cta(exec, cta) == TG_EMU_TRAPPED) return TG_EMU_TRAPPED;
    return tg_emu_cluster_end_cta(exec, cta);
}

static tg_status run_cluster(tg_emu_exec *exec, tg_emu_run_state *run)
{
    uint32_t last = 0, is_running = 1;
    while (is_running) {
        tg_emu_warp *w = choose_warp(exec, &last);
        uint64_t limit = exec->launch->instruction_limit;
        if (!w) {
            is_running = 0;
            for (uint32_t i = 0; i < exec->warp_count; i++)
                is_running |= exec->warps[i].state != TG_EMU_DONE;
            if (is_running && unblock(exec) == TG_EMU_TRAPPED)
                return exec->no_memory ? TG_ERR_NO_MEMORY : TG_OK;
            continue;
        }
        if (limit && exec->result->warp_instructions >= limit) {
            trap_limit(exec, w);
            return TG_OK;
        }
        w->spin.turn = ++exec->turn;
        tg_emu_step step = tg_emu_warp_run(exec, w, quantum_of(exec));
        if (exec->no_memory) return TG_ERR_NO_MEMORY;
        if (step == TG_EMU_TRAPPED) return TG_OK;
        if (w->state == TG_EMU_DONE && end_cta_if_over(exec, w->cta) == TG_EMU_TRAPPED)
            return exec->no_memory ? TG_ERR_NO_MEMORY : TG_OK;
        if (w->state == TG_EMU_AT_BARRIER) tg_emu_barrier_settle(exec, w);
        if (tg_emu_bulk_go_on(exec) == TG_EMU_TRAPPED ||
            tg_emu_wgmma_go_on(exec) == TG_EMU_TRAPPED ||
            tg_emu_tensor_go_on(exec) == TG_EMU_TRAPPED || trap_endless(exec, w) == TG_EMU_TRAPPED)
            return exec->no_memory ? TG_ERR_NO_MEMORY : TG_OK;
        if (is_stopped(exec, run)) return TG_ERR_STOPPED;
    }
    return TG_OK;
}

static tg_status run_clusters(tg_emu_exec *exec)
{
    const tg_emu_launch *l = exec->launch;
    uint64_t total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] / exec->cta_count;
    tg_emu_run_state run = {.total = total, .next_progress = CHECK_EVERY};
    tg_emu_order order = tg_emu_order_of(total, l->seed);
    for (run.done = 0; run.done < total; run.done++) {
        uint64_t number = tg_emu_order_at(&order, run.done);
        tg_emu_epoch_begin(exec, true);
        if (!tg_emu_epoch_note_start(exec, number)) return TG_ERR_NO_MEMORY;
        begin_cluster(exec, number);
        tg_status status = run_cluster(exec, &run);
        if (status != TG_OK || exec->result->trapped) return status;
    }
    return TG_OK;
}

tg_status tg_emu_run(tg_emu_module *module, tg_emu_memory *memory, const tg_emu_launch *launch,
                     tg_emu_result *result, tg_diags *diags)
{
    *result = (tg_emu_result){0};
    TG_TRY(check_launch(module, launch, diags));
    const tg_emu_entry *e = &module->entries[launch->entry];
    const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2],
                   warps = (threads + TG_EMU_LANES - 1) / TG_EMU_LANES,
                   ctas = e->cluster[0] * e->cluster[1] * e->cluster[2];
    tg_emu_exec exec = {.module = module,
                        .entry = e,
                        .memory = memory,
                        .launch = launch,
                        .result = result,
                        .cta_count = ctas,
                        .warp_count = ctas * warps,
                        .cta_warps = warps,
                        .thread_count = threads,
                        .shared_bytes = e->shared_bytes + (uint32_t)launch->shared_bytes,
                        .dynamic_bytes = (uint32_t)launch->shared_bytes,
                        .params = launch->params,
                        .random = launch->seed};
    unsigned char *all = prepare(&exec);
    tg_status status = TG_ERR_NO_MEMORY;
    if (all && tg_emu_sync_begin(&exec) && tg_emu_wgmma_begin(&exec) &&
        tg_emu_cluster_prepare(&exec)) {
        tg_environment saved = tg_environment_enter();
        status = run_clusters(&exec);
        tg_environment_leave(saved);
    }
    if (all) {
        tg_emu_cluster_end(&exec);
        tg_emu_spin_end(&exec);
    }
    tg_emu_cp_async_free(&exec);
    tg_emu_wgmma_end(&exec);
    tg_emu_tensor_free(&exec);
    tg_emu_sync_end(&exec);
    tg_emu_shadow_free(&exec.shared_shadow);
    free(exec.starts);
    free(all);
    if (status == TG_ERR_NO_MEMORY) return tg_fail(diags, status, NULL, "no memory for the launch");
    return status == TG_ERR_STOPPED ? tg_fail(diags, status, NULL, "the launch was stopped")
                                    : status;
}
