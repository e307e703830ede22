#include "lower/lower.h"

#include <string.h>

#include "lower/base.h"
#include "lower/dispatch.h"
#include "lower/effects.h"
#include "lower/maps.h"
#include "lower/region.h"
#include "plan/allocate.h"
#include "plan/placed.h"
#include "plan/whiles.h"

static void add_param_ref(tg_lowerer *l, uint32_t p)
{
    const tg_param *param = &l->kernel->params[p];
    int64_t array[TG_MAX_RANK] = {0}, stride[TG_MAX_RANK] = {0};
    tg_dense_strides(param->array.rank, param->array.shape, array);
    int rank = 0;
    for (int d = 0; d < param->array.rank; d++)
        if (!param->has_block || param->block[d].kind != TG_BLOCK_SQUEEZED)
            stride[rank++] = array[d];
    l->value_ref[l->kernel->body.args[p]] = tg_lower_ref(l, &param->ref, p, stride);
}

static void keep_tables(tg_lowerer *l)
{
    tg_plan *plan = l->plan;
    tg_slot *slots = tg_lower_take(l, plan->slot_count, sizeof *slots);
    plan->ref_types = tg_lower_take(l, plan->ref_count, sizeof *plan->ref_types);
    if (l->failed) return;
    if (plan->slot_count) memcpy(slots, plan->slots, plan->slot_count * sizeof *slots);
    plan->slots = slots;
    for (uint32_t r = 0; r < plan->ref_count; r++) plan->ref_types[r] = l->refs[r].type;
}

static void count_all_uses(tg_lowerer *l)
{
    for (uint32_t p = 0; p < l->kernel->param_count; p++)
        if (l->kernel->params[p].index_map) tg_lower_count_uses(l, l->kernel->params[p].index_map);
    tg_lower_count_uses(l, &l->kernel->body);
}

/* Allocates the tables with one entry for each value or param. */
static void take_tables(tg_lowerer *l)
{
    const tg_kernel *k = l->kernel;
    tg_plan *plan = l->plan;
    l->value_node = tg_lower_take(l, k->value_count, sizeof *l->value_node);
    l->value_ref = tg_lower_take(l, k->value_count, sizeof *l->value_ref);
    l->value_uses = tg_lower_take(l, k->value_count, sizeof *l->value_uses);
    l->value_op = tg_lower_take(l, k->value_count, sizeof *l->value_op);
    plan->mappings = tg_lower_take(l, k->param_count, sizeof *plan->mappings);
    plan->is_read = tg_lower_take(l, k->param_count, sizeof *plan->is_read);
    plan->is_written = tg_lower_take(l, k->param_count, sizeof *plan->is_written);
    if (!l->failed) memset(l->value_node, 0xff, k->value_count * sizeof *l->value_node);
}

static void lower_kernel(tg_lowerer *l)
{
    const tg_kernel *k = l->kernel;
    tg_lower_begin(l);
    take_tables(l);
    if (l->failed) return;
    tg_lower_note_accesses(l);
    count_all_uses(l);
    for (uint32_t p = 0; p < k->param_count; p++) add_param_ref(l, p);
    for (uint32_t p = 0; p < k->param_count; p++)
        tg_lower_map(l, k->params[p].index_map, &l->plan->mappings[p]);
    tg_lower_region(l, &k->body);
    l->plan->body = tg_lower_take_code(l);
    keep_tables(l);
}

tg_status tg_plan_new(const tg_module *module, const tg_kernel *kernel, tg_plan **out,
                      tg_diags *diags)
{
    tg_arena arena = {0};
    *out = NULL;
    tg_plan *plan = tg_arena_take(&arena, 1, sizeof *plan);
    tg_lowerer *l = plan ? tg_arena_take(&arena, 1, sizeof *l) : NULL;
    if (!l) {
        tg_arena_free(&arena);
        return tg_no_memory(diags);
    }
    plan->arena = arena;
    plan->module = module;
    plan->kernel = kernel;
    plan->has_threads = tg_kernel_threads(kernel) > 1;
    l->plan = plan;
    l->arena = &plan->arena;
    l->kernel = kernel;
    l->diags = diags;
    l->lower_op = tg_lower_table(kernel->dialect);
    lower_kernel(l);
    if (!l->failed && (tg_plan_find_placed(plan) != TG_OK || tg_plan_allocate(plan) != TG_OK ||
                       tg_plan_find_whiles(plan) != TG_OK))
        tg_lower_no_memory(l);
    const tg_status status = l->failed;
    tg_arena_free(&l->scratch);
    if (status != TG_OK)
        tg_plan_free(plan);
    else
        *out = plan;
    return status;
}

void tg_plan_free(tg_plan *plan)
{
    if (!plan) return;
    tg_arena arena = plan->arena; /* the plan lives in its own arena */
    tg_arena_free(&arena);
}
