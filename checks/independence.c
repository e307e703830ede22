/* Grids whose programs all do the same: each stores the same values into its own block, because
 * nothing that it reads or computes depends on its program index. */
#include "checks/checks.h"
#include "interp/state/machine.h"

#include <stdio.h>

/* Returns whether programs may have different blocks of the param. */
static bool varies(const tg_plan *plan, const tg_grid *grid, uint32_t p)
{
    const tg_mapping *map = &plan->mappings[p];
    if (!plan->kernel->params[p].has_block) return false;
    for (int d = 0; map->is_affine && d < plan->kernel->params[p].array.rank; d++)
        for (int a = 0; a < grid->rank; a++)
            if (map->factor[d][a] != 0 && grid->size[a] > 1) return true;
    return !map->is_affine;
}

/* Returns whether a param shares its memory with one that programs write. */
static bool is_written(const tg_plan *plan, uint32_t p)
{
    const tg_kernel *k = plan->kernel;
    const uint32_t owner = tg_param_owner(k, p);
    for (uint32_t q = 0; q < k->param_count; q++)
        if (plan->is_written[q] && (q == owner || k->params[q].alias == (int)owner)) return true;
    return false;
}

/* Returns whether, by this instruction, the effect of a program may depend on its program index.
 * Sets `*reads` if the instruction reads an input. */
static bool tells_apart(const tg_plan *plan, const tg_grid *grid, const tg_inst *inst, bool *reads)
{
    if (inst->kind == TG_I_PROGRAM_ID || inst->kind == TG_I_CANCEL || tg_inst_atomic(inst) ||
        tg_inst_uses(inst, TG_REF_AWAITED))
        return true;
    if (!tg_inst_uses(inst, TG_REF_READ)) return false;
    const uint32_t root = tg_inst_root(inst);
    if (root == UINT32_MAX) return false;
    *reads = true;
    return plan->kernel->params[root].role == TG_ROLE_SCRATCH || varies(plan, grid, root) ||
           is_written(plan, root);
}

static bool is_alike(const tg_plan *plan, const tg_grid *grid)
{
    bool reads = false;
    for (uint32_t i = 0; i < plan->body.count; i++)
        if (tells_apart(plan, grid, &plan->body.list[i], &reads)) return false;
    return reads;
}

/* Returns the offset in its array at which the first program's block begins. */
static int64_t first_place(const tg_plan *plan, uint32_t p)
{
    const tg_param *param = &plan->kernel->params[p];
    int64_t place = 0;
    for (int d = 0; d < param->array.rank; d++) {
        const tg_block_dim *dim = &param->block[d];
        const int64_t base = plan->mappings[p].is_affine ? plan->mappings[p].base[d] : 0;
        const int64_t start = dim->kind == TG_BLOCK_BLOCKED ? base * dim->size : base;
        place = place * param->array.shape[d] +
                (start > 0 && start < param->array.shape[d] ? start : 0);
    }
    return place;
}

static void tell(const tg_plan *plan, uint32_t p, const tg_inst *store, tg_findings *findings)
{
    const tg_param *param = &plan->kernel->params[p];
    tg_found found = {.kind = TG_FINDING_PROGRAM_INDEPENDENT,
                      .param = param,
                      .at = {.op = store->op, .loc = store->loc, .has_program = true},
                      .has_elements = true,
                      .first = first_place(plan, p),
                      .count = 1};
    found.last = found.first;
    snprintf(
        found.message, sizeof found.message,
        "every program stores the same into its block of %s: nothing that it reads or computes "
        "depends on its place in the grid",
        param->name);
    tg_findings_add(findings, &found);
}

/* Decides from the plan alone, so the result is proven.  Reports only kernels that read an input,
 * because filling blocks with a constant is no mistake. */
static bool report(void *state, tg_run_end *run)
{
    const tg_plan *plan = run->launch->plan;
    const tg_grid *grid = run->grid;
    const tg_kernel *k = plan->kernel;
    (void)state;
    if (!run->is_whole) return true;
    if (tg_grid_programs(grid) < 2) return true; /* a single program is not reported */
    if (!is_alike(plan, grid)) return true;
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (k->params[p].role != TG_ROLE_OUTPUT || !varies(plan, grid, p)) continue;
        for (uint32_t i = 0; i < plan->body.count; i++) {
            const tg_inst *inst = &plan->body.list[i];
            if (inst->kind != TG_I_STORE || inst->as.access->access.root != p) continue;
            tell(plan, p, inst, run->findings);
            break;
        }
    }
    return true;
}

const tg_detector tg_detector_independence = {.checks = TG_CHECK_INDEPENDENCE, .report = report};
