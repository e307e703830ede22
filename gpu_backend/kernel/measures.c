#include "gpu_backend/kernel/measures.h"

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "gpu_backend/instructions/dot.h"
#include "gpu_backend/instructions/in_place.h"
#include "gpu_backend/kernel/hazard.h"
#include "ir/ir.h"
#include "ir/type.h"
#include "plan/plan.h"

enum { ALIGN = 64, DEFAULT_SHARED = 48 * 1024, LEAST_THREADS = 32, MOST_THREADS = 256 };

static size_t aligned(size_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

static void place_workspace(tg_ptx_emitter *em)
{
    const tg_kernel *k = em->plan->kernel;
    size_t used = aligned(em->plan->workspace_bytes), extra = 0;
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (k->params[p].role != TG_ROLE_SCRATCH) continue;
        em->scratch_offset[p] = used;
        used += aligned((size_t)tg_type_count(&k->params[p].array) *
                        tg_dtypes[k->params[p].array.dtype].bytes);
    }
    em->extra_offset = used;
    for (uint32_t i = 0; i < em->plan->body.count; i++) {
        const tg_inst *inst = &em->plan->body.list[i];
        const size_t own = tg_ptx_extra(em, inst);
        if (own > extra) extra = own;
        if (inst->kind == TG_I_PRINT) em->has_prints = true;
    }
    em->workspace_bytes = used + aligned(extra);
}

static uint32_t choose_threads(const tg_plan *plan)
{
    uint32_t threads = LEAST_THREADS;
    int64_t most = 0;
    for (uint32_t s = 0; s < plan->slot_count; s++)
        if (plan->slots[s].kind == TG_SLOT_WORK && plan->slots[s].count > most)
            most = plan->slots[s].count;
    while (threads < MOST_THREADS && threads < most) threads *= 2;
    return threads;
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
    if (!em->program || !em->grid || !em->slot_base || !em->has_base || !em->is_table ||
        !em->refs || !em->scratch_offset || !tg_ptx_find_in_place(em))
        return false;
    place_workspace(em);
    const size_t most = options->most_shared ? options->most_shared : DEFAULT_SHARED;
    em->space =
        !options->is_all_global && em->workspace_bytes <= most ? TG_PTX_SHARED : TG_PTX_GLOBAL;
    em->is_fast = options->is_fast;
    em->threads = options->threads ? options->threads : choose_threads(plan);
    tg_ptx_place_tiles(em);
    return true;
}
