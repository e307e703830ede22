/* What depends on which of two numbers is greater, or on the whole number that one has. */
#include "bounds/order.h"

#include <math.h>

#include "bounds/rules_impl.h"

static tg_value_id both(tg_bound *b, tg_value_id x, tg_value_id y)
{
    return tg_bound_2(b, TG_OP_and, x, y);
}

/* Emits an op with an attribute `axis` or `axes`, that of the current op. */
static tg_value_id along(tg_bound *b, tg_opcode code, tg_value_id v)
{
    const int64_t axis = tg_op_int(b->op, TG_ATTR_axis, 0);
    tg_type type = tg_build_type(b->to, v);
    for (int d = (int)axis; d + 1 < type.rank; d++) type.shape[d] = type.shape[d + 1];
    type.shape[--type.rank] = 0;
    tg_build_in(b->to, v);
    tg_build_ints(b->to, TG_ATTR_axes, &axis, 1);
    return tg_build_result(b->to, code, &type);
}

/* Repeats what lacks the axis of the current op along it, in the shape of `like`. */
static tg_value_id repeated(tg_bound *b, tg_value_id v, tg_value_id like)
{
    const int64_t axis = tg_op_int(b->op, TG_ATTR_axis, 0);
    const tg_type short_type = tg_build_type(b->to, v);
    tg_type type = tg_build_type(b->to, like);
    int64_t dims[TG_MAX_RANK];
    for (int d = 0; d < short_type.rank; d++) dims[d] = d < axis ? d : d + 1;
    type.dtype = short_type.dtype;
    tg_build_in(b->to, v);
    tg_build_ints(b->to, TG_ATTR_dims, dims, short_type.rank);
    return tg_build_result(b->to, TG_OP_broadcast_in_dim, &type);
}

/* ---- whole numbers ---- */

/* Of a conversion to an integer or bool: both ends of the interval must have one image. */
void tg_bound_rule_to_int(tg_bound *b)
{
    const tg_value_id x = b->op->in[0], real = tg_bound_real(b, x), e = tg_bound_of(b, x);
    const tg_dtype dtype = tg_bound_dtype(b, b->op->out[0]);
    const tg_value_id low = tg_bound_2(b, TG_OP_sub, real, e),
                      high = tg_bound_2(b, TG_OP_add, real, e);
    tg_value_id is_sure =
        tg_bound_2(b, TG_OP_eq, tg_bound_convert(b, low, dtype), tg_bound_convert(b, high, dtype));
    if (dtype == TG_DT_bool) /* x != 0: also if both ends are on one side of 0 */
        is_sure = tg_bound_2(b, TG_OP_gt, tg_bound_1(b, TG_OP_abs, real), e);
    is_sure = both(b, is_sure, tg_bound_compare(b, TG_OP_lt, e, (double)INFINITY));
    is_sure = tg_bound_2(b, TG_OP_or, is_sure, tg_bound_compare(b, TG_OP_eq, e, 0));
    tg_bound_demand(b, is_sure, "a conversion to whole numbers is too close to be decided");
}

/* ---- the greatest and the least ---- */

/* An index is sure if no other element may be as far out as the farthest, or if all that may are
 * exact. */
void tg_bound_rule_arg(tg_bound *b)
{
    const bool is_max = b->op->code == TG_OP_argmax;
    const tg_value_id x = b->op->in[0], e = tg_bound_of(b, x),
                      real = is_max ? tg_bound_real(b, x)
                                    : tg_bound_1(b, TG_OP_neg, tg_bound_real(b, x)),
                      low = tg_bound_2(b, TG_OP_sub, real, e),
                      high = tg_bound_2(b, TG_OP_add, real, e),
                      most = repeated(b, along(b, TG_OP_reduce_max, low), low),
                      is_out = tg_bound_2(b, TG_OP_lt, high, most),
                      is_rival = tg_bound_1(b, TG_OP_not, is_out),
                      rivals = along(b, TG_OP_reduce_sum, tg_bound_convert(b, is_rival, TG_DT_f64)),
                      is_exact =
                          tg_bound_2(b, TG_OP_or, is_out, tg_bound_compare(b, TG_OP_eq, e, 0)),
                      are_exact = along(b, TG_OP_reduce_and, is_exact),
                      is_sure = tg_bound_2(b, TG_OP_or, are_exact,
                                           tg_bound_compare(b, TG_OP_le, rivals, 1));
    tg_bound_demand(b, is_sure,
                    "the greatest or least element is too close to another to be decided");
}

/* Sorting moves no element of a list by more than the most that any is off. */
static void sort_alone(tg_bound *b)
{
    const tg_op *op = b->op;
    const tg_value_id e = tg_bound_of(b, op->in[0]),
                      most = repeated(b, along(b, TG_OP_reduce_max, e), e);
    tg_bound_set(b, TG_COMPANION_BOUND, most);
}

/* Returns part of a value along the axis of the current op. */
static tg_value_id part(tg_bound *b, tg_value_id v, int64_t start, int64_t size)
{
    const int64_t axis = tg_op_int(b->op, TG_ATTR_axis, 0);
    tg_type type = tg_build_type(b->to, v);
    int64_t starts[TG_MAX_RANK] = {0}, strides[TG_MAX_RANK];
    for (int d = 0; d < type.rank; d++) strides[d] = 1;
    starts[axis] = start;
    type.shape[axis] = size;
    tg_build_in(b->to, v);
    tg_build_ints(b->to, TG_ATTR_start, starts, type.rank);
    tg_build_ints(b->to, TG_ATTR_stride, strides, type.rank);
    return tg_build_result(b->to, TG_OP_slice, &type);
}

/* Demands that neighbours of the sorted keys do not overlap, or are exact. */
static void demand_gaps(tg_bound *b, tg_value_id real, tg_value_id e)
{
    const int64_t n = tg_build_type(b->to, real).shape[tg_op_int(b->op, TG_ATTR_axis, 0)];
    if (n < 2) return;
    const tg_value_id gap = tg_bound_2(b, TG_OP_sub, part(b, real, 1, n - 1),
                                       part(b, real, 0, n - 1)),
                      off = tg_bound_2(b, TG_OP_add, part(b, e, 1, n - 1), part(b, e, 0, n - 1)),
                      is_far = tg_bound_2(b, TG_OP_gt, tg_bound_1(b, TG_OP_abs, gap), off),
                      is_sure =
                          tg_bound_2(b, TG_OP_or, is_far, tg_bound_compare(b, TG_OP_eq, off, 0));
    tg_bound_demand(b, is_sure, "elements to be sorted are too close to be decided");
}

/* Sorts the companions along with the operands, by the same key. */
static void sort_together(tg_bound *b)
{
    const tg_op *op = b->op;
    tg_value_id out[TG_COMPANION_COUNT][TG_MAX_OPERANDS] = {{0}};
    if ((1 + TG_COMPANION_COUNT) * op->in_count > TG_MAX_OPERANDS)
        tg_bound_refuse(b, "it has too many operands");
    if (b->status != TG_OK) return;
    for (uint32_t i = 0; i < op->in_count; i++)
        for (int c = 0; c < TG_COMPANION_COUNT && tg_bound_is_off(b, op->in[i]); c++)
            tg_bound_companion(b, (tg_companion)c, op->in[i]);
    for (uint32_t i = 0; i < op->in_count; i++) tg_build_in(b->to, op->in[i]);
    for (uint32_t i = 0; i < op->in_count; i++) {
        const tg_type type = tg_build_type(b->to, op->in[i]);
        tg_build_out(b->to, tg_build_value(b->to, &type));
    }
    for (uint32_t i = 0; i < op->in_count; i++)
        for (int c = 0; c < TG_COMPANION_COUNT && tg_bound_is_off(b, op->in[i]); c++) {
            const tg_type type = tg_bound_type(b, op->in[i]);
            tg_build_in(b->to, tg_bound_companion(b, (tg_companion)c, op->in[i]));
            tg_build_out(b->to, out[c][i] = tg_build_value(b->to, &type));
        }
    tg_build_attrs_of(b->to, op);
    tg_build_op(b->to, TG_OP_sort);
    for (uint32_t i = 0; i < op->in_count; i++)
        for (int c = 0; c < TG_COMPANION_COUNT && tg_bound_is_off(b, op->in[i]); c++)
            b->companion[c][op->out[i]] = out[c][i];
    if (tg_bound_is_off(b, op->in[0]))
        demand_gaps(b, out[TG_COMPANION_EXACT][0], out[TG_COMPANION_BOUND][0]);
}

void tg_bound_rule_sort(tg_bound *b)
{
    const tg_op *op = b->op;
    const int64_t keys = tg_op_int(op, TG_ATTR_keys, 1);
    if (op->in_count == 1 && !tg_op_int(op, TG_ATTR_total, 0)) {
        sort_alone(b);
        return;
    }
    for (int64_t i = 0; i < keys; i++)
        if (tg_bound_is_off(b, op->in[i]) &&
            (keys > 1 || !tg_is_float(tg_bound_dtype(b, op->in[i]))))
            tg_bound_refuse(b, "several keys, of which one may be off");
    sort_together(b);
}
