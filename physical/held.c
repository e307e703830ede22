#include "physical/held.h"

#include <stdlib.h>

#include "layout/group.h"
#include "layout/shape.h"
#include "layout/slice.h"

void tg_held_shape(const tg_type *type, tg_shape *out)
{
    out->rank = type->rank;
    for (int d = 0; d < type->rank; d++) out->extent[d] = type->shape[d];
}

static const tg_type *type_of(const tg_held *h, tg_value_id v) { return tg_type_of(h->kernel, v); }

static tg_axe *new_layout(tg_held *h)
{
    tg_axe *made = tg_arena_take(&h->arena, 1, sizeof *made);
    h->failed |= !made;
    return made;
}

/* ---- what follows from operands ---- */

/* Of a value of one element no layout is known: all threads have it, as of a constant. */
static const tg_axe *of_operands(const tg_held *h, const tg_op *op)
{
    const tg_type *result = type_of(h, op->out[0]);
    for (uint32_t i = 0; i < op->in_count; i++)
        if (tg_same_shape(type_of(h, op->in[i]), result) && h->layout[op->in[i]])
            return h->layout[op->in[i]];
    return NULL;
}

static const tg_axe *transposed(tg_held *h, const tg_op *op)
{
    const tg_axe *from = h->layout[op->in[0]];
    const int64_t *permutation = tg_op_attr(op, TG_ATTR_permutation)->as.ints;
    tg_shape shape;
    tg_groups groups;
    tg_held_shape(type_of(h, op->in[0]), &shape);
    tg_axe *made = new_layout(h);
    if (!made || tg_axe_group(from, &shape, &groups, NULL) != TG_OK) return NULL;
    tg_axe_copy(from, made);
    made->d.count = 0;
    for (int d = 0; d < shape.rank; d++) tg_groups_put(&groups, (int)permutation[d], &made->d);
    return made;
}

static const tg_axe *sliced(tg_held *h, const tg_op *op)
{
    const int64_t *start = tg_op_attr(op, TG_ATTR_start)->as.ints;
    const int64_t *stride = tg_op_attr(op, TG_ATTR_stride)->as.ints;
    tg_shape shape, first, extent;
    tg_held_shape(type_of(h, op->in[0]), &shape);
    tg_held_shape(type_of(h, op->out[0]), &extent);
    first.rank = shape.rank;
    for (int d = 0; d < shape.rank; d++) {
        first.extent[d] = start[d];
        if (stride[d] != 1) return NULL;
    }
    tg_axe *made = new_layout(h);
    if (!made || tg_axe_slice(h->layout[op->in[0]], &shape, &first, &extent, made, NULL) != TG_OK)
        return NULL;
    return made;
}

bool tg_held_is_in_place(tg_opcode code)
{
    switch (code) {
    case TG_OP_layout_cast: return false;
    case TG_OP_select:
    case TG_OP_clamp:
    case TG_OP_pow: return true;
    default:
        return tg_ops[code].rule == TG_RULE_SAME || tg_ops[code].rule == TG_RULE_PREDICATE ||
               tg_ops[code].rule == TG_RULE_RETYPE;
    }
}

/* Row-major numbers of elements stay, unless a bitcast makes others of them. */
static const tg_axe *renumbered(const tg_held *h, const tg_op *op)
{
    const bool stays =
        tg_type_count(type_of(h, op->in[0])) == tg_type_count(type_of(h, op->out[0]));
    return stays ? h->layout[op->in[0]] : NULL;
}

const tg_axe *tg_held_derived(tg_held *h, const tg_op *op)
{
    if (op->out_count != 1 || op->in_count == 0 || type_of(h, op->out[0])->is_ref) return NULL;
    if (tg_held_is_in_place(op->code)) return of_operands(h, op);
    if (!h->layout[op->in[0]]) return NULL;
    switch (op->code) {
    case TG_OP_reshape:
    case TG_OP_bitcast: return renumbered(h, op);
    case TG_OP_transpose: return transposed(h, op);
    case TG_OP_slice: return sliced(h, op);
    default: return NULL;
    }
}

/* ---- regions ---- */

static void visit_region(tg_held *h, const tg_region *region);

static void take(tg_held *h, tg_value_id v, const tg_axe *layout)
{
    const tg_value *value = &h->kernel->values[v];
    if (value->type.is_ref) return;
    h->layout[v] = value->layout ? value->layout : layout;
}

/* Arguments of loops begin as the operands, from number `first` on; `skipped` arguments come before. */
static void visit_loop(tg_held *h, const tg_op *op, uint32_t first, uint32_t skipped)
{
    for (uint32_t r = 0; r < op->region_count; r++) {
        const tg_region *region = &op->regions[r];
        for (uint32_t a = skipped; a < region->arg_count; a++)
            if (first + a - skipped < op->in_count)
                take(h, region->args[a], h->layout[op->in[first + a - skipped]]);
        visit_region(h, region);
    }
    for (uint32_t i = 0; i < op->out_count && first + i < op->in_count; i++)
        take(h, op->out[i], h->layout[op->in[first + i]]);
}

/* Results of a switch, or of scoped memory, are those of its first region. */
static void visit_branches(tg_held *h, const tg_op *op)
{
    for (uint32_t r = 0; r < op->region_count; r++) visit_region(h, &op->regions[r]);
    for (uint32_t i = 0; i < op->out_count; i++)
        take(h, op->out[i], h->layout[op->regions[0].yields[i]]);
}

static void visit_op(tg_held *h, const tg_op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++) h->made_by[op->out[i]] = op;
    if (op->code == TG_OP_for) {
        visit_loop(h, op, 3, 1);
    } else if (op->code == TG_OP_while) {
        visit_loop(h, op, 0, 0);
    } else if (op->region_count) {
        visit_branches(h, op);
    } else {
        const tg_axe *found = tg_held_derived(h, op);
        for (uint32_t i = 0; i < op->out_count; i++) take(h, op->out[i], found);
    }
}

static void visit_region(tg_held *h, const tg_region *region)
{
    for (uint32_t a = 0; a < region->arg_count; a++)
        if (h->kernel->values[region->args[a]].layout) take(h, region->args[a], NULL);
    for (uint32_t i = 0; i < region->op_count; i++) visit_op(h, &region->ops[i]);
}

tg_status tg_held_find(const tg_kernel *kernel, tg_held *out)
{
    *out = (tg_held){.kernel = kernel};
    out->layout = tg_arena_take(&out->arena, kernel->value_count, sizeof *out->layout);
    out->made_by = tg_arena_take(&out->arena, kernel->value_count, sizeof *out->made_by);
    if (!out->layout || !out->made_by) return TG_ERR_NO_MEMORY;
    visit_region(out, &kernel->body);
    return out->failed ? TG_ERR_NO_MEMORY : TG_OK;
}

void tg_held_free(tg_held *held) { tg_arena_free(&held->arena); }
