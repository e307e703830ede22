/* Looks up all functions, and computes how much memory machines need. */
#include "interp/exec/bind.h"

#include <string.h>

#include "interp/memory/cache_prefetch.h"
#include "interp/exec/bitcast.h"
#include "interp/blocks/reduce.h"
#include "interp/blocks/scan.h"
#include "interp/blocks/sort.h"
#include "interp/exec/dot.h"
#include "interp/exec/group.h"
#include "interp/exec/inline_ptx.h"
#include "ir/reduction.h"
#include "ir/tensor.h"

enum { LEAST_STRIP_BYTES = 2 * 512 * 8 }; /* buffers in which loads and stores convert */

static void need_extra(tg_launch *launch, size_t bytes)
{
    if (bytes > launch->extra_bytes) launch->extra_bytes = bytes;
}

/* The view of the operand, without its data; the storage does not change the workspace. */
static tg_view shape_of(const tg_operand *o, int storage)
{
    tg_view view = {.rank = o->rank};
    memcpy(view.shape, o->shape, sizeof view.shape);
    memcpy(view.stride, o->stride[storage], sizeof view.stride);
    return view;
}

static void measure_reduce(tg_launch *launch, const tg_inst *inst)
{
    const struct tg_inst_reduce *reduce = inst->as.reduce;
    for (int v = 0; v < TG_STORAGE_COUNT; v++) {
        tg_view in = shape_of(&reduce->in, v);
        need_extra(launch, inst->kind == TG_I_REDUCE
                               ? tg_reduce_workspace(&in, reduce->axes, reduce->in.dtype)
                               : tg_scan_workspace(&in, reduce->axis, reduce->in.dtype));
    }
}

static void measure_dot(tg_launch *launch, const struct tg_inst_dot *dot)
{
    for (int v = 0; v < TG_STORAGE_COUNT * TG_STORAGE_COUNT; v++) {
        tg_dot_shape shape = tg_dot_shape_of(dot, v & 1, v >> 1);
        need_extra(launch, tg_dot_workspace(&shape, dot->acc));
    }
}

static tg_status check_atomic(tg_launch *launch, const tg_inst *inst, tg_diags *diags)
{
    const struct tg_inst_access *atomic = inst->as.access;
    tg_dtype dtype = atomic->access.dtype;
    tg_opcode op = inst->op == TG_OP_atomic_cas ? TG_OP_eq : tg_atomic_op(atomic->kind);
    if (op == TG_OP_COUNT || tg_elementwise_op(launch->elementwise, op, dtype, dtype).compute)
        return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "kernel %s: %s on %s is not supported",
                   launch->plan->kernel->name, tg_ops[inst->op].name, tg_dtypes[dtype].name);
}

static tg_status bind_inst(tg_launch *launch, const tg_inst *inst, tg_bound_group *group,
                           tg_diags *diags)
{
    switch (inst->kind) {
    case TG_I_GROUP: return tg_group_bind(launch, inst, group, diags);
    case TG_I_REDUCE:
    case TG_I_SCAN: measure_reduce(launch, inst); return TG_OK;
    case TG_I_DOT: measure_dot(launch, inst->as.dot); return TG_OK;
    case TG_I_SORT: {
        tg_view in = shape_of(&inst->as.sort->in[0], TG_STORAGE_DENSE);
        need_extra(launch, tg_sort_workspace(&in, inst->as.sort->axis));
        return TG_OK;
    }
    case TG_I_INLINE_PTX:
        need_extra(launch, tg_inline_ptx_workspace(inst->as.inline_ptx));
        return tg_inline_ptx_bind(launch, inst, diags);
    case TG_I_BITCAST: need_extra(launch, tg_bitcast_workspace(inst->as.bitcast)); return TG_OK;
    case TG_I_ATOMIC: return check_atomic(launch, inst, diags);
    default: return TG_OK;
    }
}

static tg_status bind_code(tg_launch *launch, const tg_code *code, tg_bound_code *bound,
                           tg_diags *diags)
{
    bound->groups = tg_arena_take(&launch->arena, code->count, sizeof *bound->groups);
    if (!bound->groups) return TG_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < code->count; i++)
        TG_TRY(bind_inst(launch, &code->list[i], &bound->groups[i], diags));
    return TG_OK;
}

static void place_scratch(tg_launch *launch)
{
    const tg_kernel *k = launch->plan->kernel;
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (k->params[p].role != TG_ROLE_SCRATCH) continue;
        launch->scratch_offset[p] = launch->scratch_bytes;
        if (k->params[p].array.dtype == TG_DT_barrier) {
            launch->first_barrier[p] = launch->barrier_count;
            launch->barrier_count += (size_t)tg_type_count(&k->params[p].array);
        }
        launch->scratch_bytes += (tg_tensor_bytes(&k->params[p].array) + 63) / 64 * 64;
    }
}

static tg_status bind(tg_launch *launch, tg_diags *diags)
{
    const tg_plan *plan = launch->plan;
    uint32_t params = plan->kernel->param_count;
    launch->strip_bytes = LEAST_STRIP_BYTES;
    launch->scratch_offset = tg_arena_take(&launch->arena, params, sizeof *launch->scratch_offset);
    launch->maps = tg_arena_take(&launch->arena, params, sizeof *launch->maps);
    launch->prefetch = tg_arena_take(&launch->arena, params, sizeof *launch->prefetch);
    launch->first_barrier = tg_arena_take(&launch->arena, params, sizeof *launch->first_barrier);
    if (!launch->scratch_offset || !launch->first_barrier || !launch->maps || !launch->prefetch)
        return TG_ERR_NO_MEMORY;
    place_scratch(launch);
    for (uint32_t p = 0; p < params; p++) launch->prefetch[p] = tg_prefetch_of(launch, p);
    TG_TRY(bind_code(launch, &plan->body, &launch->body, diags));
    for (uint32_t p = 0; p < params; p++)
        TG_TRY(bind_code(launch, &plan->mappings[p].code, &launch->maps[p], diags));
    return TG_OK;
}

tg_status tg_launch_bind(tg_launch *launch, tg_diags *diags)
{
    tg_status status = bind(launch, diags);
    return status == TG_ERR_NO_MEMORY ? tg_no_memory(diags) : status;
}

void tg_launch_unbind(tg_launch *launch)
{
    tg_inline_ptx_unbind(launch);
    tg_arena_free(&launch->arena);
}
