/* Lowering, from a kernel to a flat plan:
 *
 *   lower.c      the launch (which memory is written, how blocks are found) and the plan as a whole
 *   control.c    regions, loops and branches
 *   lanes.c      element-wise ops, and the groups they make
 *   shape.c, reduce.c, memory.c   the other ops
 *   semaphore.c  semaphores, copies that run beside the program, parts of run-time length
 *   base.c       what all of them stand on
 *   plan/layout.c   where slots lie in the workspace */
#include <string.h>

#include "lower/impl.h"

/* ---- which params' memory is read and written ---- */

static void note_access(tg_lowerer *l, const tg_op *op, const uint32_t *root_of)
{
    const tg_op_info *info = &tg_ops[op->code];
    for (uint32_t i = 0; i < tg_op_ref_count(op->code); i++) {
        const uint32_t root = root_of[op->in[i]];
        if (root == UINT32_MAX) continue;
        if (info->refs[i] & (TG_TRAIT_READS | TG_TRAIT_ATOMIC)) l->plan->is_read[root] = true;
        if (info->refs[i] & (TG_TRAIT_WRITES | TG_TRAIT_ATOMIC)) l->plan->is_written[root] = true;
    }
}

static void note_region(tg_lowerer *l, const tg_region *region, uint32_t *root_of)
{
    for (uint32_t o = 0; o < region->op_count; o++) {
        const tg_op *op = &region->ops[o];
        if (tg_is_view_op(op->code))
            root_of[op->out[0]] = root_of[op->in[0]];
        else
            note_access(l, op, root_of);
        for (uint32_t r = 0; r < op->region_count; r++) note_region(l, &op->regions[r], root_of);
    }
}

static void note_accesses(tg_lowerer *l)
{
    const tg_kernel *k = l->kernel;
    uint32_t *root_of = tg_lower_take(l, k->value_count, sizeof *root_of);
    memset(root_of, 0xff, k->value_count * sizeof *root_of);
    for (uint32_t p = 0; p < k->param_count; p++) root_of[k->body.args[p]] = p;
    note_region(l, &k->body, root_of);
    for (uint32_t p = 0; p < k->param_count; p++) {
        int alias = k->params[p].alias;
        if (alias < 0) continue;
        l->plan->is_read[p] |= l->plan->is_read[alias];
        l->plan->is_written[p] |= l->plan->is_written[alias];
        l->plan->is_read[alias] = l->plan->is_read[p];
        l->plan->is_written[alias] = l->plan->is_written[p];
    }
}

/* ---- index maps ---- */

typedef struct affine {
    bool is_known;
    int64_t base, factor[TG_MAX_AXES];
} affine;

enum { FACTOR_MOST = 1 << 30 };

static bool is_small(const affine *a, int axis_count)
{
    if (a->base > FACTOR_MOST || a->base < -FACTOR_MOST) return false;
    for (int i = 0; i < axis_count; i++)
        if (a->factor[i] > FACTOR_MOST || a->factor[i] < -FACTOR_MOST) return false;
    return true;
}

static bool is_number(const affine *a, int axis_count)
{
    for (int i = 0; i < axis_count; i++)
        if (a->factor[i]) return false;
    return true;
}

static affine combine(const affine *a, int64_t fa, const affine *b, int64_t fb, int axis_count)
{
    affine sum = {.is_known = true, .base = a->base * fa + b->base * fb};
    for (int i = 0; i < axis_count; i++) sum.factor[i] = a->factor[i] * fa + b->factor[i] * fb;
    sum.is_known = is_small(&sum, axis_count);
    return sum;
}

static affine constant_of(const tg_kernel *k, const tg_op *op)
{
    const tg_type *type = tg_type_of(k, op->out[0]);
    const void *bytes = tg_op_attr(op, TG_ATTR_value)->as.data.bytes;
    affine a = {0};
    if (type->rank != 0) return a;
    if (type->dtype == TG_DT_i32)
        a.base = *(const int32_t *)bytes;
    else if (type->dtype == TG_DT_i64)
        a.base = *(const int64_t *)bytes;
    else
        return a;
    a.is_known = is_small(&a, 0);
    return a;
}

/* A dynamic axis has its size from the launch. */
static affine axis_size_of(const tg_kernel *k, const tg_op *op)
{
    affine a = {.base = k->axes[tg_op_int(op, TG_ATTR_axis, 0)].size};
    a.is_known = a.base >= 0 && is_small(&a, 0);
    return a;
}

static affine affine_of(const tg_kernel *k, const tg_op *op, const affine *values)
{
    int axes = k->axis_count;
    affine none = {0}, zero = {.is_known = true};
    if (op->code == TG_OP_constant) return constant_of(k, op);
    if (op->code == TG_OP_num_programs) return axis_size_of(k, op);
    for (uint32_t i = 0; i < op->in_count; i++)
        if (!values[op->in[i]].is_known) return none;
    switch (op->code) {
    case TG_OP_add: return combine(&values[op->in[0]], 1, &values[op->in[1]], 1, axes);
    case TG_OP_sub: return combine(&values[op->in[0]], 1, &values[op->in[1]], -1, axes);
    case TG_OP_neg: return combine(&values[op->in[0]], -1, &zero, 0, axes);
    case TG_OP_mul: {
        const affine *a = &values[op->in[0]], *b = &values[op->in[1]];
        if (is_number(b, axes)) return combine(a, b->base, &zero, 0, axes);
        if (is_number(a, axes)) return combine(b, a->base, &zero, 0, axes);
        return none;
    }
    default: return none;
    }
}

/* Whether each index is a fixed number plus fixed multiples of the program ids. */
static bool map_is_affine(tg_lowerer *l, const tg_region *map, tg_mapping *mapping)
{
    const tg_kernel *k = l->kernel;
    affine *values = tg_arena_take(&l->scratch, k->value_count, sizeof *values);
    if (!values) tg_lower_fail(l, TG_ERR_NO_MEMORY, NULL, "memory is exhausted");
    for (int axis = 0; axis < k->axis_count; axis++) {
        values[map->args[axis]].is_known = true;
        values[map->args[axis]].factor[axis] = 1;
    }
    for (uint32_t o = 0; o < map->op_count; o++)
        if (map->ops[o].out_count == 1 && map->ops[o].region_count == 0)
            values[map->ops[o].out[0]] = affine_of(k, &map->ops[o], values);
    for (uint32_t d = 0; d < map->yield_count; d++) {
        const affine *index = &values[map->yields[d]];
        if (!index->is_known) return false;
        mapping->base[d] = index->base;
        memcpy(mapping->factor[d], index->factor, sizeof index->factor);
    }
    return true;
}

static tg_code take_code(tg_lowerer *l)
{
    tg_lower_emit(l, TG_I_END, TG_OP_COUNT, 0);
    tg_code code = {.count = l->inst_count};
    code.list = tg_lower_take(l, l->inst_count, sizeof *code.list);
    memcpy(code.list, l->insts, l->inst_count * sizeof *code.list);
    l->inst_count = 0;
    return code;
}

static void lower_map(tg_lowerer *l, const tg_region *map, tg_mapping *mapping)
{
    const tg_kernel *k = l->kernel;
    mapping->is_affine = !map || map_is_affine(l, map, mapping);
    if (mapping->is_affine) return;
    l->keeps_slots = true;
    for (int axis = 0; axis < k->axis_count; axis++) {
        struct tg_inst_grid *grid = tg_lower_take(l, 1, sizeof *grid);
        grid->axis = axis;
        grid->out = tg_lower_result(l, map->args[axis]);
        tg_lower_emit(l, TG_I_PROGRAM_ID, TG_OP_program_id, 0)->as.grid = grid;
    }
    for (uint32_t p = 0; p + (uint32_t)k->axis_count < map->arg_count; p++)
        l->value_ref[map->args[(uint32_t)k->axis_count + p]] = p;
    tg_lower_region(l, map);
    for (uint32_t d = 0; d < map->yield_count; d++)
        mapping->index[d] = tg_lower_operand(l, map->yields[d]);
    mapping->code = take_code(l);
    l->keeps_slots = false;
}

/* ---- the plan ---- */

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
    if (plan->slot_count) memcpy(slots, plan->slots, plan->slot_count * sizeof *slots);
    plan->slots = slots;
    plan->ref_types = tg_lower_take(l, plan->ref_count, sizeof *plan->ref_types);
    for (uint32_t r = 0; r < plan->ref_count; r++) plan->ref_types[r] = l->refs[r].type;
}

static void count_all_uses(tg_lowerer *l)
{
    for (uint32_t p = 0; p < l->kernel->param_count; p++)
        if (l->kernel->params[p].index_map) tg_lower_count_uses(l, l->kernel->params[p].index_map);
    tg_lower_count_uses(l, &l->kernel->body);
}

static void lower_kernel(tg_lowerer *l)
{
    const tg_kernel *k = l->kernel;
    tg_plan *plan = l->plan;
    l->value_node = tg_lower_take(l, k->value_count, sizeof *l->value_node);
    l->value_ref = tg_lower_take(l, k->value_count, sizeof *l->value_ref);
    l->value_uses = tg_lower_take(l, k->value_count, sizeof *l->value_uses);
    l->value_op = tg_lower_take(l, k->value_count, sizeof *l->value_op);
    memset(l->value_node, 0xff, k->value_count * sizeof *l->value_node);
    plan->mappings = tg_lower_take(l, k->param_count, sizeof *plan->mappings);
    plan->is_read = tg_lower_take(l, k->param_count, sizeof *plan->is_read);
    plan->is_written = tg_lower_take(l, k->param_count, sizeof *plan->is_written);
    note_accesses(l);
    count_all_uses(l);
    for (uint32_t p = 0; p < k->param_count; p++) add_param_ref(l, p);
    for (uint32_t p = 0; p < k->param_count; p++)
        lower_map(l, k->params[p].index_map, &plan->mappings[p]);
    tg_lower_region(l, &k->body);
    plan->body = take_code(l);
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
        return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "kernel %s: memory is exhausted",
                       kernel->name);
    }
    plan->arena = arena;
    plan->module = module;
    plan->kernel = kernel;
    l->plan = plan;
    l->arena = &plan->arena;
    l->kernel = kernel;
    l->diags = diags;
    if (setjmp(l->give_up) == 0) {
        lower_kernel(l);
        l->failed = tg_plan_layout(plan);
        if (l->failed == TG_OK) l->failed = tg_plan_find_whiles(plan);
        if (l->failed)
            tg_fail(diags, l->failed, NULL, "kernel %s: memory is exhausted", kernel->name);
    }
    tg_status status = l->failed;
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
