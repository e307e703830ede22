#include "gpu_backend/kernel/measures.h"

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "gpu_backend/emit/cluster.h"
#include "gpu_backend/instructions/dot.h"
#include "gpu_backend/instructions/in_place.h"
#include "gpu_backend/instructions/parity.h"
#include "gpu_backend/instructions/tcgen05.h"
#include "gpu_backend/instructions/tcgen05_plan.h"
#include "gpu_backend/instructions/wgmma.h"
#include "gpu_backend/kernel/hazard.h"
#include "gpu_backend/text/target.h"
#include "ir/ir.h"
#include "ir/type.h"
#include "plan/plan.h"

/* SHARED_OF_SM_90: less than the 227 KiB that it has, for barriers and tiles. */
enum {
    ALIGN = 64,
    DEFAULT_SHARED = 48 * 1024,
    SHARED_OF_SM_90 = 192 * 1024,
    LEAST_THREADS = 32,
    MOST_THREADS = 256,
    SPARE_SHARED = 32 * 1024 /* of sm_90, beyond that */
};

static size_t aligned(size_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

static bool is_barrier(const tg_param *param)
{
    return param->role == TG_ROLE_SCRATCH && param->array.dtype == TG_DT_barrier;
}

/* Of a block. */
static size_t bytes_of(const tg_ptx_emitter *em, const tg_param *param)
{
    return (size_t)tg_ptx_part(em, param) * tg_dtypes[param->array.dtype].bytes;
}

static size_t largest_extra(tg_ptx_emitter *em)
{
    size_t extra = 0;
    for (uint32_t i = 0; i < em->plan->body.count; i++) {
        const tg_inst *inst = &em->plan->body.list[i];
        const size_t own = tg_ptx_extra(em, inst);
        if (own > extra) extra = own;
        if (inst->kind == TG_I_PRINT) em->has_prints = true;
    }
    return extra;
}

/* Barriers and tensor memory have no place in the workspace, but an extent, by which hazard.h knows them. */
static bool is_elsewhere(const tg_ptx_emitter *em, uint32_t p)
{
    return is_barrier(&em->plan->kernel->params[p]) || tg_ptx_tensor_has(em, p);
}

static void place_workspace(tg_ptx_emitter *em)
{
    const tg_kernel *k = em->plan->kernel;
    em->extra_offset = aligned(em->plan->workspace_bytes);
    em->team_bytes = em->extra_offset + aligned(largest_extra(em));
    size_t used = em->team_bytes, barriers = 0;
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (k->params[p].role != TG_ROLE_SCRATCH || is_elsewhere(em, p)) continue;
        em->scratch_offset[p] = used;
        used += aligned(bytes_of(em, &k->params[p]));
    }
    em->workspace_bytes = (em->teams - 1) * em->team_bytes + used;
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (!is_barrier(&k->params[p])) continue;
        em->has_barriers = true;
        em->scratch_offset[p] = used + barriers;
        barriers += aligned(bytes_of(em, &k->params[p]));
    }
    em->barriers_bytes = barriers;
    for (uint32_t p = 0, beyond = 0; p < k->param_count; p++) {
        if (!tg_ptx_tensor_has(em, p)) continue;
        em->scratch_offset[p] = used + barriers + beyond;
        beyond += (uint32_t)aligned(bytes_of(em, &k->params[p]));
    }
}

/* Behind everything else in shared memory. */
static void place_barriers(tg_ptx_emitter *em)
{
    const size_t workspace = em->space == TG_PTX_SHARED ? em->workspace_bytes : 0;
    em->barriers_offset = aligned(workspace + em->tiles_bytes);
    em->parity_offset = em->barriers_offset + em->barriers_bytes;
}

/* ---- threads ---- */

static uint32_t choose_threads(const tg_plan *plan, uint32_t most)
{
    uint32_t threads = LEAST_THREADS;
    int64_t largest = 0;
    for (uint32_t s = 0; s < plan->slot_count; s++)
        if (plan->slots[s].kind == TG_SLOT_WORK && plan->slots[s].count > largest)
            largest = plan->slots[s].count;
    while (threads < most && threads < largest) threads *= 2;
    return threads;
}

/* Whether some product beside the threads wants a warpgroup. */
static bool wants_warpgroup(const tg_ptx_emitter *em)
{
    for (uint32_t i = 0; i < em->plan->body.count; i++) {
        const tg_inst *inst = &em->plan->body.list[i];
        if (inst->kind == TG_I_PRODUCT && tg_ptx_wgmma_wants(em, inst->as.async)) return true;
    }
    return false;
}

/* The most threads of a team: several teams share the CTA, and the barriers but number 0.  A team of
 * a single warp needs none. */
static uint32_t most_threads(uint32_t teams)
{
    enum { BARRIERS = 15, WARPGROUP = 128, CTA = 1024 };
    uint32_t most = teams == 1 ? MOST_THREADS : WARPGROUP;
    while (most > LEAST_THREADS && (most * teams > CTA || teams > BARRIERS)) most /= 2;
    return most;
}

/* Whether the text may have bulk copies, and of those some that tell barriers. */
static void find_copies(tg_ptx_emitter *em)
{
    const bool waits = em->has_barriers || tg_ptx_target_waits(em->target);
    for (uint32_t i = 0; i < em->plan->body.count && waits && em->space == TG_PTX_SHARED; i++) {
        const tg_inst *inst = &em->plan->body.list[i];
        if (inst->kind == TG_I_ASYNC_GROUP && inst->as.async_group->followers)
            em->waits_for_copies_of_others = true;
        if (inst->kind != TG_I_DMA || inst->as.async->told == TG_ASYNC_TELLS_SEMAPHORE) continue;
        em->has_bulk = true;
        if (inst->as.async->told == TG_ASYNC_TELLS_BARRIER) em->tells_later = true;
    }
    if (em->tensor) em->tells_later = true;
}

static void count_threads(tg_ptx_emitter *em, const tg_ptx_options *options)
{
    const uint32_t most = most_threads(em->teams);
    em->threads = options->threads ? options->threads : choose_threads(em->plan, most);
    if (!options->threads && em->threads < TG_PTX_WARPGROUP && wants_warpgroup(em))
        em->threads = TG_PTX_WARPGROUP;
    if (em->teams > 1 && em->threads > most) em->threads = most;
    if (em->tensor && em->threads < TG_PTX_WARPGROUP)
        em->threads = TG_PTX_WARPGROUP; /* all lanes of it */
}

static uint32_t count_teams(const tg_kernel *k)
{
    uint32_t teams = 1;
    for (int a = 0; a < k->axis_count; a++)
        if (k->axes[a].semantics == TG_SEMANTICS_THREAD) teams *= (uint32_t)k->axes[a].size;
    return teams;
}

/* The units whose sums are asked for are those of one chip. */
static const char *target_of(const tg_ptx_options *options)
{
    static const char *const chips[TG_TENSOR_CORE_COUNT] = {
        [TG_TENSOR_CORE_SM90] = "sm_90a", [TG_TENSOR_CORE_SM100] = "sm_100a"};
    return options->target ? options->target : chips[options->tensor_core];
}

/* The most bytes of a workspace in shared memory. */
static size_t most_shared(const tg_ptx_emitter *em)
{
    const size_t tensor = tg_ptx_tensor_bytes(em);
    if (!em->has_barriers && em->blocks == 1 && !em->tensor) return DEFAULT_SHARED;
    return SHARED_OF_SM_90 - (tensor > SPARE_SHARED ? tensor - SPARE_SHARED : 0);
}

bool tg_ptx_prepare(tg_ptx_emitter *em, const tg_ptx_options *options)
{
    const tg_plan *plan = em->plan;
    const uint32_t params = plan->kernel->param_count, axes = TG_MAX_AXES;
    em->program = tg_arena_take(&em->arena, axes, sizeof *em->program);
    em->grid = tg_arena_take(&em->arena, axes, sizeof *em->grid);
    em->slot_base = tg_arena_take(&em->arena, plan->slot_count, sizeof *em->slot_base);
    em->has_base = tg_arena_take(&em->arena, plan->slot_count, sizeof *em->has_base);
    em->is_table = tg_arena_take(&em->arena, plan->slot_count, sizeof *em->is_table);
    em->refs = tg_arena_take(&em->arena, plan->ref_count, sizeof *em->refs);
    em->scratch_offset = tg_arena_take(&em->arena, params, sizeof *em->scratch_offset);
    em->parity = tg_arena_take(&em->arena, params, sizeof *em->parity);
    if (!em->program || !em->grid || !em->slot_base || !em->has_base || !em->is_table ||
        !em->refs || !em->scratch_offset || !em->parity || !tg_ptx_find_in_place(em))
        return false;
    em->blocks = tg_ptx_count_blocks(plan->kernel);
    em->teams = count_teams(plan->kernel) / em->blocks;
    em->is_fast = options->is_fast;
    em->tensor_core = options->tensor_core;
    em->target = target_of(options);
    if (!tg_ptx_tensor_find(em, options)) return false;
    place_workspace(em);
    const size_t usual = most_shared(em),
                 most = options->most_shared ? options->most_shared : usual;
    em->space =
        !options->is_all_global && em->workspace_bytes <= most ? TG_PTX_SHARED : TG_PTX_GLOBAL;
    find_copies(em);
    count_threads(em, options);
    tg_ptx_place_tiles(em);
    place_barriers(em);
    tg_ptx_parity_place(em);
    if (em->tensor) em->tensor->offset = aligned(em->parity_offset + em->parity_bytes * em->teams);
    return true;
}
