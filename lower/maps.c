#include "lower/maps.h"

#include <string.h>

#include "lower/base.h"
#include "lower/groups.h"
#include "lower/nodes.h"
#include "lower/region.h"

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

/* Returns the size of an axis; that of a dynamic axis is known only at launch. */
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

/* Whether each index is a constant plus constant multiples of the program ids. */
static bool map_is_affine(tg_lowerer *l, const tg_region *map, tg_mapping *mapping)
{
    const tg_kernel *k = l->kernel;
    affine *values = tg_lower_scratch(l, k->value_count, sizeof *values);
    if (!values) return false;
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

void tg_lower_map(tg_lowerer *l, const tg_region *map, tg_mapping *mapping)
{
    const tg_kernel *k = l->kernel;
    mapping->is_affine = !map || map_is_affine(l, map, mapping);
    if (mapping->is_affine || l->failed) return;
    l->keeps_slots = true;
    for (int axis = 0; axis < k->axis_count; axis++) {
        struct tg_inst_grid *grid = tg_lower_take(l, 1, sizeof *grid);
        if (!grid) return;
        grid->axis = axis;
        grid->out = tg_lower_result(l, map->args[axis]);
        tg_lower_emit(l, TG_I_PROGRAM_ID, TG_OP_program_id, 0)->as.grid = grid;
    }
    for (uint32_t p = 0; p + (uint32_t)k->axis_count < map->arg_count; p++)
        l->value_ref[map->args[(uint32_t)k->axis_count + p]] = p;
    tg_lower_region(l, map);
    if (l->failed) return;
    for (uint32_t d = 0; d < map->yield_count; d++)
        mapping->index[d] = tg_lower_operand(l, map->yields[d]);
    mapping->code = tg_lower_take_code(l);
    l->keeps_slots = false;
}
