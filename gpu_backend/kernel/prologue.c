#include "gpu_backend/kernel/prologue.h"

#include <stdio.h>

#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/cluster.h"
#include "gpu_backend/emit/slot.h"
#include "gpu_backend/emit/trace.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/instructions/tcgen05.h"
#include "gpu_backend/kernel/barriers.h"
#include "gpu_backend/text/ptx.h"
#include "ir/type.h"
#include "plan/allocate.h"
#include "plan/plan.h"

bool tg_ptx_has_array(const tg_kernel *k, uint32_t p)
{
    return k->params[p].role != TG_ROLE_SCRATCH;
}

tg_ptx_reg tg_ptx_special(tg_ptx_emitter *em, const char *name)
{
    const tg_ptx_reg narrow = tg_ptx_new(&em->w, TG_PTX_B32), r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "mov.u32 %s, %s;", narrow.name, name);
    tg_ptx_row(&em->w, "cvt.u64.u32 %s, %s;", r.name, narrow.name);
    return r;
}

static tg_ptx_reg load_param(tg_ptx_emitter *em, const char *name)
{
    const tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "ld.param.u64 %s, [%s];", r.name, name);
    return r;
}

static tg_ptx_reg load_address(tg_ptx_emitter *em, const char *name)
{
    const tg_ptx_reg given = load_param(em, name), r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "cvta.to.global.u64 %s, %s;", r.name, given.name);
    return r;
}

/* The team of a thread, and its number in it; with one team, the CTA is the team. */
static void find_team(tg_ptx_emitter *em)
{
    if (em->blocks > 1) em->rank = tg_ptx_special(em, "%cluster_ctarank");
    em->tid = tg_ptx_new(&em->w, TG_PTX_B32);
    tg_ptx_row(&em->w, "mov.u32 %s, %%tid.x;", em->tid.name);
    if (em->teams == 1) return;
    const tg_ptx_reg number = tg_ptx_new(&em->w, TG_PTX_B32);
    em->team = tg_ptx_new(&em->w, TG_PTX_B64);
    em->barrier = tg_ptx_new(&em->w, TG_PTX_B32);
    tg_ptx_row(&em->w, "div.u32 %s, %s, %u;", number.name, em->tid.name, em->threads);
    tg_ptx_row(&em->w, "rem.u32 %s, %s, %u;", em->tid.name, em->tid.name, em->threads);
    tg_ptx_row(&em->w, "cvt.u64.u32 %s, %s;", em->team.name, number.name);
    tg_ptx_row(&em->w, "add.u32 %s, %s, 1;", em->barrier.name, number.name);
}

/* The start of the CTA's workspace. */
static tg_ptx_uniform start_of_workspace(tg_ptx_emitter *em, tg_ptx_reg cta)
{
    if (em->space == TG_PTX_SHARED) {
        const tg_ptx_reg start = tg_ptx_new(&em->w, TG_PTX_B64);
        tg_ptx_row(&em->w, "mov.u64 %s, tg_shared;", start.name);
        return tg_ptx_held_multiple(start, TG_PTX_ARRAY_ALIGN);
    }
    const tg_ptx_uniform all = tg_ptx_held(load_address(em, "tg_workspace")),
                         own = tg_ptx_mul(em, tg_ptx_held(cta), (int64_t)em->workspace_bytes);
    return tg_ptx_add(em, all, own);
}

static void find_workspace(tg_ptx_emitter *em, tg_ptx_reg cta)
{
    const tg_ptx_uniform start = start_of_workspace(em, cta);
    em->workspace = em->scratch = tg_ptx_uniform_reg(em, start);
    if (em->teams == 1) return;
    const int64_t bytes = (int64_t)em->team_bytes;
    em->workspace = tg_ptx_uniform_reg(em, tg_ptx_mul_add(em, tg_ptx_held(em->team), bytes, start));
    em->scratch =
        tg_ptx_uniform_reg(em, tg_ptx_add(em, start, tg_ptx_known((em->teams - 1) * bytes)));
}

/* Puts the addresses of slots that exchange memory in registers; an exchange swaps the
 * registers. */
static void find_bases(tg_ptx_emitter *em)
{
    const tg_plan *plan = em->plan;
    for (tg_slot_id s = 0; s < plan->slot_count; s++) {
        const tg_slot_id root = tg_plan_exchange_root(plan, s);
        if (root == s) continue;
        for (int i = 0; i < 2; i++) {
            const tg_slot_id id = i ? root : s;
            if (em->has_base[id]) continue;
            const tg_ptx_reg base = tg_ptx_slot_address(em, id);
            em->slot_base[id] = base;
            em->has_base[id] = true;
        }
    }
}

static void find_memory(tg_ptx_emitter *em)
{
    const tg_kernel *k = em->plan->kernel;
    char name[24];
    for (uint32_t p = 0; p < k->param_count; p++) {
        tg_ptx_ref *ref = &em->refs[p];
        if (tg_ptx_has_array(k, p)) {
            snprintf(name, sizeof name, "tg_array%u", p);
            ref->space = TG_PTX_GLOBAL;
            ref->base = tg_ptx_held_multiple(load_address(em, name), TG_PTX_ARRAY_ALIGN);
            ref->extent = (tg_ptx_extent){.is_array = true, .array = tg_param_owner(k, p)};
            continue;
        }
        const size_t bytes =
            (size_t)tg_ptx_part(em, &k->params[p]) * tg_dtypes[k->params[p].array.dtype].bytes;
        ref->extent = tg_ptx_extent_of(em->scratch_offset[p], bytes);
        if (k->params[p].array.dtype == TG_DT_barrier) continue; /* barriers.c */
        if (tg_ptx_tensor_has(em, p)) continue; /* its refs are never accessed by address */
        ref->space = em->space;
        ref->base = tg_ptx_add(em, tg_ptx_held_multiple(em->scratch, TG_PTX_ARRAY_ALIGN),
                               tg_ptx_known((int64_t)em->scratch_offset[p]));
        tg_ptx_cluster_start(em, ref, &k->params[p]);
    }
}

static void find_grid(tg_ptx_emitter *em)
{
    const tg_kernel *k = em->plan->kernel;
    char name[24];
    for (int a = 0; a < k->axis_count; a++) {
        snprintf(name, sizeof name, "tg_axis%d", a);
        em->grid[a] = k->axes[a].size >= 0 ? tg_ptx_known(k->axes[a].size)
                                           : tg_ptx_held(load_param(em, name));
    }
}

tg_ptx_reg tg_ptx_prologue(tg_ptx_emitter *em)
{
    find_team(em);
    const tg_ptx_reg cta = tg_ptx_special(em, "%ctaid.x"),
                     first = em->blocks > 1 ? tg_ptx_special(em, "%clusterid.x") : cta;
    em->report = load_address(em, "tg_report");
    if (em->has_prints) em->prints = load_address(em, "tg_prints");
    find_workspace(em, cta);
    find_bases(em);
    find_memory(em);
    tg_ptx_barriers_find(em);
    find_grid(em);
    tg_ptx_tensor_begin(em);
    tg_ptx_trace_start(em);
    return first;
}
