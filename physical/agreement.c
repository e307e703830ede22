#include "physical/agreement.h"

#include <inttypes.h>
#include <stdio.h>

#include "layout/reduce.h"
#include "physical/derived.h"

enum { WHAT = 48, REGISTER_BITS = 32 };

static const tg_axe *layout_of(const tg_demands *d, tg_value_id v) { return d->held.layout[v]; }

static const tg_type *type_of(const tg_demands *d, tg_value_id v)
{
    return tg_type_of(d->held.kernel, v);
}

/* Demands that `v`, of which `what` is said, is held as `wanted` is. */
static void want(tg_demands *d, const tg_op *op, const char *what, tg_value_id v,
                 const tg_axe *wanted, tg_want_freedom freedom)
{
    tg_shape shape;
    if (!layout_of(d, v) || !wanted) return;
    tg_held_shape(type_of(d, v), &shape);
    const tg_want check = {.is = layout_of(d, v),
                           .wanted = wanted,
                           .shape = &shape,
                           .freedom = freedom,
                           .bits = REGISTER_BITS};
    tg_demand_want(d, op, what, &check);
}

static void check_operands(tg_demands *d, const tg_op *op)
{
    const tg_value_id result = op->out[0];
    tg_value_id first = result;
    char what[WHAT];
    bool has_first = false;
    for (uint32_t i = 0; i < op->in_count; i++) {
        const tg_value_id v = op->in[i];
        if (!layout_of(d, v) || !tg_same_shape(type_of(d, v), type_of(d, result))) continue;
        if (!has_first) {
            first = v;
            has_first = true;
            continue;
        }
        snprintf(what, sizeof what, "operand %" PRIu32, i);
        want(d, op, what, v, layout_of(d, first), TG_WANT_EXACTLY);
    }
    for (uint32_t i = 0; has_first && i < op->out_count; i++)
        want(d, op, "the result", op->out[i], layout_of(d, first), TG_WANT_EXACTLY);
}

/* The result says where it is held; it is where the operand has its elements. */
static void check_result(tg_demands *d, const tg_op *op)
{
    tg_diags diags = {0};
    if (!d->held.kernel->values[op->out[0]].layout || !layout_of(d, op->in[0])) return;
    const tg_axe *wanted = tg_derived(&d->held, op, &diags);
    if (wanted)
        want(d, op, "the result", op->out[0], wanted, TG_WANT_EXACTLY);
    else
        tg_demand_failed(d, op, TG_PROBLEM_UNCHECKED, "the result", &diags);
    tg_diags_free(&diags);
}

/* ---- reductions and broadcasts ---- */

/* Demands that the threads which are to hold the result are among those that have it. */
static void want_from(tg_demands *d, const tg_op *op, const tg_axe *has)
{
    tg_shape shape;
    tg_held_shape(type_of(d, op->out[0]), &shape);
    const tg_want check = {.is = has,
                           .wanted = layout_of(d, op->out[0]),
                           .shape = &shape,
                           .freedom = TG_WANT_IN_THREADS,
                           .bits = REGISTER_BITS};
    tg_demand_want(d, op, "the result", &check);
}

/* The dimensions that an op reduces. */
static tg_dim_set dims_of(const tg_op *op)
{
    const tg_attr *axes = tg_op_attr(op, TG_ATTR_axes);
    tg_dim_set dims = 0;
    if (!axes) return (tg_dim_set)1 << tg_op_int(op, TG_ATTR_axis, 0);
    for (int64_t i = 0; i < axes->count; i++) dims |= (tg_dim_set)1 << axes->as.ints[i];
    return dims;
}

static void check_reduction(tg_demands *d, const tg_op *op)
{
    tg_shape shape;
    tg_axe reduced;
    tg_diags diags = {0};
    if (!layout_of(d, op->in[0]) || !layout_of(d, op->out[0])) return;
    tg_held_shape(type_of(d, op->in[0]), &shape);
    if (tg_axe_reduce(layout_of(d, op->in[0]), &shape, dims_of(op), &reduced, &diags) == TG_OK)
        want_from(d, op, &reduced);
    else
        tg_demand_failed(d, op, TG_PROBLEM_UNCHECKED, "the result", &diags);
    tg_diags_free(&diags);
}

/* Each thread that has an element of the result has what it is a copy of. */
static void check_broadcast(tg_demands *d, const tg_op *op)
{
    const tg_type *from = type_of(d, op->in[0]), *to = type_of(d, op->out[0]);
    const int64_t *place = tg_op_attr(op, TG_ATTR_dims)->as.ints;
    tg_shape shape;
    tg_axe needed;
    tg_diags diags = {0};
    if (!layout_of(d, op->in[0]) || !layout_of(d, op->out[0])) return;
    tg_dim_set dims = ((tg_dim_set)1 << to->rank) - 1;
    for (int i = 0; i < from->rank; i++)
        if (from->shape[i] == to->shape[place[i]]) dims &= ~((tg_dim_set)1 << place[i]);
    tg_held_shape(to, &shape);
    if (tg_axe_reduce(layout_of(d, op->out[0]), &shape, dims, &needed, &diags) == TG_OK)
        want(d, op, "operand 0", op->in[0], &needed, TG_WANT_IN_THREADS);
    else
        tg_demand_failed(d, op, TG_PROBLEM_UNCHECKED, "operand 0", &diags);
    tg_diags_free(&diags);
}

/* ---- regions ---- */

static void check_pairs(tg_demands *d, const tg_op *op, const char *name, const tg_value_id *list,
                        const tg_value_id *wanted, uint32_t count)
{
    char what[WHAT];
    for (uint32_t i = 0; i < count; i++) {
        if (type_of(d, list[i])->is_ref) continue;
        snprintf(what, sizeof what, "%s %" PRIu32, name, i);
        want(d, op, what, list[i], layout_of(d, wanted[i]), TG_WANT_EXACTLY);
    }
}

static void check_loop(tg_demands *d, const tg_op *op, uint32_t first, uint32_t region,
                       uint32_t skipped)
{
    const tg_region *body = &op->regions[region];
    const uint32_t carried = op->in_count - first;
    check_pairs(d, op, "argument", body->args + skipped, op->in + first, carried);
    check_pairs(d, op, "yield", body->yields, op->in + first, carried);
    check_pairs(d, op, "result", op->out, op->in + first, op->out_count);
}

static void check_branches(tg_demands *d, const tg_op *op)
{
    for (uint32_t r = 0; r < op->region_count; r++)
        check_pairs(d, op, "yield", op->regions[r].yields, op->out, op->regions[r].yield_count);
}

void tg_agreement_check(tg_demands *d, const tg_op *op)
{
    switch (op->code) {
    case TG_OP_layout_cast: return;
    case TG_OP_for: check_loop(d, op, 3, 0, 1); return;
    case TG_OP_while:
        check_pairs(d, op, "argument", op->regions[0].args, op->in, op->in_count);
        check_loop(d, op, 0, 1, 0);
        return;
    case TG_OP_switch:
    case TG_OP_scoped: check_branches(d, op); return;
    case TG_OP_broadcast_in_dim: check_broadcast(d, op); return;
    case TG_OP_argmax:
    case TG_OP_argmin: check_reduction(d, op); return;
    default: break;
    }
    if (tg_ops[op->code].rule == TG_RULE_REDUCE)
        check_reduction(d, op);
    else if (tg_derived_renamed(op->code))
        check_result(d, op);
    else if (tg_derived_in_place(op->code))
        check_operands(d, op);
}
