#include "gpu_backend/kernel/prologue.h"

#include <stdio.h>

#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/slot.h"
#include "gpu_backend/emit/trace.h"
#include "gpu_backend/emit/uniform.h"
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

static void find_workspace(tg_ptx_emitter *em, tg_ptx_reg cta)
{
    if (em->space == TG_PTX_SHARED) {
        em->workspace = tg_ptx_new(&em->w, TG_PTX_B64);
        tg_ptx_row(&em->w, "mov.u64 %s, tg_shared;", em->workspace.name);
        return;
    }
    const tg_ptx_uniform all = tg_ptx_held(load_address(em, "tg_workspace")),
                         own = tg_ptx_mul(em, tg_ptx_held(cta), (int64_t)em->workspace_bytes);
    em->workspace = tg_ptx_uniform_reg(em, tg_ptx_add(em, all, own));
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
            (size_t)tg_type_count(&k->params[p].array) * tg_dtypes[k->params[p].array.dtype].bytes;
        ref->space = em->space;
        ref->base = tg_ptx_add(em, tg_ptx_held(em->workspace),
                               tg_ptx_known((int64_t)em->scratch_offset[p]));
        ref->extent = tg_ptx_extent_of(em->scratch_offset[p], bytes);
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
    em->tid = tg_ptx_new(&em->w, TG_PTX_B32);
    tg_ptx_row(&em->w, "mov.u32 %s, %%tid.x;", em->tid.name);
    const tg_ptx_reg cta = tg_ptx_special(em, "%ctaid.x");
    em->report = load_address(em, "tg_report");
    if (em->has_prints) em->prints = load_address(em, "tg_prints");
    find_workspace(em, cta);
    find_bases(em);
    find_memory(em);
    find_grid(em);
    tg_ptx_trace_start(em);
    return cta;
}
