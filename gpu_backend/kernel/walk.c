#include "gpu_backend/kernel/walk.h"

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/cluster.h"
#include "gpu_backend/emit/place.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/instructions/block.h"
#include "gpu_backend/instructions/bulk.h"
#include "gpu_backend/instructions/scope.h"
#include "gpu_backend/instructions/tcgen05.h"
#include "gpu_backend/instructions/tcgen05_move.h"
#include "gpu_backend/kernel/barriers.h"
#include "gpu_backend/kernel/control.h"
#include "gpu_backend/kernel/prologue.h"
#include "ir/ir.h"
#include "ir/type.h"
#include "plan/plan.h"

/* The number of chains, or of steps in each chain. */
static tg_ptx_uniform extent_of_axes(tg_ptx_emitter *em, tg_semantics semantics)
{
    tg_ptx_uniform product = tg_ptx_known(1);
    for (int a = 0; a < em->plan->kernel->axis_count; a++)
        if (em->plan->kernel->axes[a].semantics == semantics)
            product = tg_ptx_product(em, product, em->grid[a]);
    return product;
}

/* Sets the program's index along each axis, and its program index. */
static void locate(tg_ptx_emitter *em, tg_ptx_uniform chain, tg_ptx_uniform step)
{
    const tg_kernel *k = em->plan->kernel;
    const tg_ptx_uniform own = em->teams > 1 ? tg_ptx_held(em->team) : tg_ptx_known(0);
    const tg_ptx_uniform team =
        em->blocks > 1 ? tg_ptx_mul_add(em, tg_ptx_held(em->rank), em->teams, own) : own;
    tg_ptx_uniform left[] = {[TG_SEMANTICS_PARALLEL] = chain,
                             [TG_SEMANTICS_ARBITRARY] = step,
                             [TG_SEMANTICS_THREAD] = team},
                   order = tg_ptx_known(0);
    for (int a = k->axis_count - 1; a >= 0; a--) {
        tg_ptx_uniform *rest = &left[k->axes[a].semantics];
        bool is_outermost = true;
        for (int b = 0; b < a; b++)
            if (k->axes[b].semantics == k->axes[a].semantics) is_outermost = false;
        em->program[a] = is_outermost ? *rest : tg_ptx_rem(em, *rest, em->grid[a]);
        if (!is_outermost) *rest = tg_ptx_div(em, *rest, em->grid[a]);
    }
    for (int a = 0; a < k->axis_count; a++)
        order = tg_ptx_add(em, tg_ptx_product(em, order, em->grid[a]), em->program[a]);
    em->program_index = tg_ptx_uniform_reg(em, order);
}

static void fill_scratch(tg_ptx_emitter *em)
{
    const tg_kernel *k = em->plan->kernel;
    for (uint32_t p = 0; p < k->param_count; p++) {
        const tg_dtype dtype = k->params[p].array.dtype;
        if (k->params[p].role != TG_ROLE_SCRATCH || dtype == TG_DT_barrier) continue;
        if (tg_ptx_tensor_has(em, p)) continue;
        tg_ptx_access_extent(em, em->refs[p].extent, true);
        tg_ptx_ready(em);
        tg_ptx_fill_first(em, dtype, tg_ptx_part(em, &k->params[p]), em->scratch,
                          (int64_t)em->scratch_offset[p]);
    }
    tg_ptx_tensor_fill(em);
}

/* The first team makes the scratch of all.  No program of the last chain runs any more. */
static void begin_chain(tg_ptx_emitter *em)
{
    const uint32_t others = tg_ptx_new_label(&em->w);
    if (em->teams > 1) {
        const tg_ptx_reg other = tg_ptx_new(&em->w, TG_PTX_PRED);
        tg_ptx_row(&em->w, "setp.ne.u64 %s, %s, 0;", other.name, em->team.name);
        tg_ptx_row(&em->w, "@%s bra.uni $L%u;", other.name, others);
    }
    fill_scratch(em);
    if (em->teams > 1) tg_ptx_label(&em->w, others);
    if (em->has_bulk) tg_ptx_row(&em->w, "fence.proxy.async;"); /* copies write there */
    tg_ptx_barriers_begin(em);
    if (em->has_barriers && em->blocks > 1)
        tg_ptx_row(&em->w, "fence.mbarrier_init.release.cluster;");
    if (em->teams > 1 || em->blocks > 1 || em->has_barriers || em->tensor)
        tg_ptx_barrier_of_all(em);
}

static void end_chain(tg_ptx_emitter *em)
{
    tg_ptx_bulk_end(em);
    tg_ptx_tensor_end_chain(em);
    if (em->teams == 1 && em->blocks == 1 && !em->has_barriers && !em->has_bulk && !em->tensor)
        return;
    tg_ptx_barrier_of_all(em);
    tg_ptx_barriers_end(em);
}

/* One program: its blocks, then the body. */
static void program(tg_ptx_emitter *em)
{
    const tg_plan *plan = em->plan;
    for (uint32_t p = 0; p < plan->kernel->param_count && em->status == TG_OK; p++) {
        em->param = p;
        tg_ptx_place(em, plan->kernel->loc);
        if (!plan->mappings[p].is_affine) tg_ptx_code(em, &plan->mappings[p].code);
        if (!plan->mappings[p].is_affine)
            for (int d = 0; d < plan->kernel->params[p].array.rank; d++)
                tg_ptx_reads(em, &plan->mappings[p].index[d]);
        tg_ptx_ready(em);
        tg_ptx_ref_start(em, p);
    }
    tg_ptx_code(em, &plan->body);
    tg_ptx_settle(em);
}

/* Starts the loop over steps: sets the step to 0, and at `next_step` ends the chain if there are no
 * more steps. */
static void begin_steps(tg_ptx_emitter *em, tg_ptx_uniform steps, tg_ptx_reg step,
                        uint32_t next_step, tg_ptx_reg p)
{
    const tg_ptx_reg step_count = tg_ptx_uniform_reg(em, steps);
    tg_ptx_row(&em->w, "mov.b64 %s, 0;", step.name);
    tg_ptx_settle(em);
    tg_ptx_label(&em->w, next_step);
    tg_ptx_row(&em->w, "setp.ge.u64 %s, %s, %s;", p.name, step.name, step_count.name);
    tg_ptx_row(&em->w, "@%s bra.uni $L%u;", p.name, em->end_chain);
}

void tg_ptx_walk_grid(tg_ptx_emitter *em, tg_ptx_reg cta)
{
    tg_ptx_writer *w = &em->w;
    const tg_ptx_uniform chains = extent_of_axes(em, TG_SEMANTICS_PARALLEL),
                         steps = extent_of_axes(em, TG_SEMANTICS_ARBITRARY);
    const bool has_steps = !tg_ptx_is_known(steps, 1);
    const tg_ptx_reg ctas = tg_ptx_special(em, em->blocks > 1 ? "%nclusterid.x" : "%nctaid.x"),
                     chain_count = tg_ptx_uniform_reg(em, chains),
                     chain = tg_ptx_new(w, TG_PTX_B64), step = tg_ptx_new(w, TG_PTX_B64),
                     p = tg_ptx_new(w, TG_PTX_PRED);
    const uint32_t next_chain = tg_ptx_new_label(w), next_step = tg_ptx_new_label(w),
                   end = tg_ptx_new_label(w);
    em->end_chain = tg_ptx_new_label(w);
    tg_ptx_move(w, chain, cta);
    tg_ptx_label(w, next_chain);
    tg_ptx_row(w, "setp.ge.u64 %s, %s, %s;", p.name, chain.name, chain_count.name);
    tg_ptx_row(w, "@%s bra.uni $L%u;", p.name, end);
    begin_chain(em);
    if (has_steps) {
        begin_steps(em, steps, step, next_step, p);
    }
    locate(em, tg_ptx_held(chain), has_steps ? tg_ptx_held(step) : tg_ptx_known(0));
    program(em);
    if (has_steps) {
        if (em->teams > 1 || em->blocks > 1) tg_ptx_barrier_of_all(em);
        tg_ptx_row(w, "add.u64 %s, %s, 1;", step.name, step.name);
        tg_ptx_row(w, "bra.uni $L%u;", next_step);
    }
    if (has_steps || em->ends_early) tg_ptx_label(w, em->end_chain);
    end_chain(em);
    tg_ptx_row(w, "add.u64 %s, %s, %s;", chain.name, chain.name, ctas.name);
    tg_ptx_row(w, "bra.uni $L%u;", next_chain);
    tg_ptx_label(w, end);
    tg_ptx_tensor_end(em);
    tg_ptx_row(w, "ret;");
}
