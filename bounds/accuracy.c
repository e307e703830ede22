#include "bounds/accuracy.h"

#include <math.h>

#include "bounds/emit.h"
#include "bounds/facts.h"
#include "bounds/model.h"

bool tg_bound_is_small(tg_opcode code)
{
    switch (code) {
    case TG_OP_tanh:
    case TG_OP_logistic:
    case TG_OP_sin:
    case TG_OP_cos:
    case TG_OP_erf:
    case TG_OP_asin:
    case TG_OP_acos:
    case TG_OP_atan:
    case TG_OP_sqrt:
    case TG_OP_cbrt: return true;
    default: return false;
    }
}

bool tg_bound_is_listed(const tg_bound *b)
{
    const tg_accuracy *rows[TG_MOST_RANGES];
    const tg_dtype dtype = tg_bound_dtype(b, b->op->out[0]);
    return tg_contract_may_list(b->op->code) &&
           tg_contract_accuracies(b->contract, b->op->code, dtype, rows) > 0;
}

/* Returns whether figures are about f32 and the result is rounded once more. */
static bool is_in_f32(const tg_bound *b, const tg_accuracy *row)
{
    const tg_dtype dtype = tg_bound_dtype(b, b->op->out[0]);
    return b->contract->narrow_in_f32 && row->dtype == (tg_dtype)TG_ANY_DTYPE &&
           tg_dtypes[dtype].man_bits < tg_dtypes[TG_DT_f32].man_bits;
}

/* Returns the error of a result of that size, of operands no farther from 0 than `far`. */
static tg_value_id error_of(tg_bound *b, const tg_accuracy *row, tg_value_id size, tg_value_id far)
{
    const tg_dtype dtype = tg_bound_dtype(b, b->op->out[0]),
                   unit_of = is_in_f32(b, row) ? TG_DT_f32 : dtype;
    const double unit = 2 * TG_BOUND_SLACK * tg_bound_half_unit(unit_of);
    tg_value_id share = tg_bound_number(b, size, row->ulp * unit + 0x1p-51);
    if (row->ulp_per_operand > 0)
        share =
            tg_bound_2(b, TG_OP_add, share, tg_bound_scaled(b, far, row->ulp_per_operand * unit));
    tg_value_id error = tg_bound_2(b, TG_OP_mul, size, share);
    if (row->absolute_per_operand > 0)
        error = tg_bound_2(b, TG_OP_add, error, tg_bound_scaled(b, far, row->absolute_per_operand));
    const double least = (2 * row->ulp + 1) * tg_bound_half_least(unit_of);
    error = tg_bound_plus_number(b, error, row->absolute + least);
    if (unit_of == dtype) return error;
    const tg_value_id all = tg_bound_2(b, TG_OP_add, size, error),
                      last = tg_bound_scaled(b, all, TG_BOUND_SLACK * tg_bound_half_unit(dtype));
    return tg_bound_plus_number(b, tg_bound_2(b, TG_OP_add, error, last),
                                tg_bound_half_least(dtype));
}

/* Returns `error` where an operand in [near, far] may be in the row's range, 0 elsewhere. */
static tg_value_id in_range(tg_bound *b, const tg_accuracy *row, tg_value_id error,
                            tg_value_id near, tg_value_id far)
{
    const tg_value_id none = tg_bound_number(b, error, 0);
    if (row->from > 0)
        error = tg_bound_select(b, tg_bound_compare(b, TG_OP_ge, far, row->from), none, error);
    if (row->to < (double)INFINITY)
        error = tg_bound_select(b, tg_bound_compare(b, TG_OP_le, near, row->to), none, error);
    return error;
}

/* Infinite where the operand may be beyond the ranges. */
static tg_value_id listed_error(tg_bound *b, tg_value_id size)
{
    const tg_accuracy *rows[TG_MOST_RANGES];
    const tg_value_id x = b->op->in[0], e = tg_bound_of(b, x), at = tg_bound_size(b, x),
                      far = tg_bound_add(b, at, e),
                      near = e == TG_NO_BOUND ? at : tg_bound_2(b, TG_OP_sub, at, e);
    const size_t count =
        tg_contract_accuracies(b->contract, b->op->code, tg_bound_dtype(b, b->op->out[0]), rows);
    tg_value_id most = TG_NO_BOUND;
    for (size_t i = 0; i < count; i++)
        most = tg_bound_larger(b, most,
                               in_range(b, rows[i], error_of(b, rows[i], size, far), near, far));
    return tg_bound_only_if(b, tg_bound_compare(b, TG_OP_le, far, rows[count - 1]->to), most);
}

tg_value_id tg_bound_of_listed(tg_bound *b, tg_value_id passed)
{
    const tg_value_id out = b->op->out[0], size = tg_bound_add(b, tg_bound_size(b, out), passed),
                      error = listed_error(b, size), bound = tg_bound_add(b, passed, error),
                      most = tg_bound_add(b, size, tg_bound_scaled(b, error, 2));
    tg_bound_note(b, bound, TG_FACT_POSITIVE);
    if (tg_bound_is_small(b->op->code)) /* NaN is no bound */
        return tg_bound_only_if(b, tg_bound_compare(b, TG_OP_lt, bound, (double)INFINITY), bound);
    const double greatest = tg_bound_greatest(tg_bound_dtype(b, out));
    return tg_bound_only_if(b, tg_bound_compare(b, TG_OP_le, most, greatest), bound);
}
