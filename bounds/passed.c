/* Below, e(v) is the bound of v. */
#include "bounds/passed.h"

#include "bounds/emit.h"
#include "bounds/facts.h"
#include "bounds/functions.h"
#include "bounds/model.h"
#include "bounds/pairs.h"
#include "bounds/special.h"

/* Returns e(x) + e(y); 0 where one is infinite and not off, and the bound of the other is
 * finite. */
static tg_value_id of_sum(tg_bound *b, tg_value_id x, tg_value_id y)
{
    const tg_value_id sum = tg_bound_add(b, tg_bound_of(b, x), tg_bound_of(b, y)),
                      is_infinite = tg_bound_surely_infinite(b, x, y);
    if (is_infinite == TG_NO_BOUND) return sum;
    return tg_bound_select(b, is_infinite, sum, tg_bound_scaled(b, sum, 0));
}

/* Returns |x| e(y) + e(x) (|y| + e(y)). */
static tg_value_id of_product(tg_bound *b, tg_value_id x, tg_value_id y)
{
    const tg_value_id ex = tg_bound_of(b, x), ey = tg_bound_of(b, y),
                      most = tg_bound_add(b, tg_bound_size(b, y), ey);
    if (x == y) return tg_bound_times(b, tg_bound_2(b, TG_OP_add, tg_bound_size(b, x), most), ex);
    return tg_bound_add(b, tg_bound_times(b, tg_bound_size(b, x), ey), tg_bound_times(b, most, ex));
}

/* Returns (e(x) + |x / y| e(y)) / (|y| - e(y)); infinite where y may be 0. */
static tg_value_id of_quotient(tg_bound *b, tg_value_id x, tg_value_id y)
{
    const tg_value_id ex = tg_bound_of(b, x), ey = tg_bound_of(b, y), size = tg_bound_size(b, y);
    if (ey == TG_NO_BOUND) {
        const tg_value_id passed = tg_bound_2(b, TG_OP_div, ex, size);
        return tg_bound_may_be_zero(b, ex) ? tg_bound_where_zero(b, ex, passed) : passed;
    }
    const tg_value_id z = b->op->out[0],
                      quotient = b->contract ? tg_bound_size(b, z)
                                             : tg_bound_2(b, TG_OP_div, tg_bound_size(b, x), size),
                      sum = tg_bound_add(b, ex, tg_bound_times(b, quotient, ey)),
                      gap = tg_bound_2(b, TG_OP_sub, size, ey),
                      is_bounded = tg_bound_compare(b, TG_OP_gt, gap, 0),
                      passed = tg_bound_only_if(b, is_bounded, tg_bound_2(b, TG_OP_div, sum, gap));
    const tg_value_id off = tg_bound_add(b, ex, ey); /* 0 over what may be 0 may be NaN */
    return tg_bound_may_be_zero(b, off) ? tg_bound_where_zero(b, off, passed) : passed;
}

/* |x|^-k is steepest at the end next to 0. */
static tg_value_id of_inverse_power(tg_bound *b, tg_value_id x)
{
    const tg_value_id near = tg_bound_2(b, TG_OP_sub, tg_bound_size(b, x), tg_bound_of(b, x)),
                      high = tg_bound_again(b, TG_OP_integer_pow, &near, 1),
                      gap = tg_bound_2(b, TG_OP_sub, high,
                                       tg_bound_1(b, TG_OP_abs, tg_bound_real(b, b->op->out[0]))),
                      far = tg_bound_add(b, gap, tg_bound_scaled(b, high, TG_BOUND_F64_NOISE)),
                      is_bounded = tg_bound_compare(b, TG_OP_gt, near, 0);
    return tg_bound_where_zero(b, tg_bound_of(b, x), tg_bound_only_if(b, is_bounded, far));
}

static tg_value_id of_power(tg_bound *b, tg_value_id x)
{
    const tg_value_id e = tg_bound_of(b, x), size = tg_bound_size(b, x),
                      most = tg_bound_add(b, size, e);
    const int64_t exponent = tg_op_int(b->op, TG_ATTR_exponent, 0);
    if (exponent < 0 && !b->contract) tg_bound_refuse(b, "the exponent is not positive");
    if (exponent < 0) return of_inverse_power(b, x);
    const tg_value_id high = tg_bound_again(b, TG_OP_integer_pow, &most, 1),
                      low = tg_bound_again(b, TG_OP_integer_pow, &size, 1),
                      noise = tg_bound_scaled(b, high, TG_BOUND_F64_NOISE);
    return tg_bound_where_zero(b, e, tg_bound_add(b, tg_bound_2(b, TG_OP_sub, high, low), noise));
}

static bool any_is_off(const tg_bound *b, const tg_op *op)
{
    for (uint32_t i = 0; i < op->in_count; i++)
        if (tg_bound_is_off(b, op->in[i])) return true;
    return false;
}

/* Returns the bound of the product of x and y, and e(z). */
static tg_value_id of_product_and_sum(tg_bound *b, tg_value_id x, tg_value_id y, tg_value_id z)
{
    return tg_bound_add(b, of_product(b, x, y), tg_bound_of(b, z));
}

/* Of two operands. */
static tg_value_id of_two(tg_bound *b, tg_value_id x, tg_value_id y)
{
    switch (b->op->code) {
    case TG_OP_mul: return of_product(b, x, y);
    case TG_OP_div: return of_quotient(b, x, y);
    case TG_OP_atan2: return tg_bound_of_atan2(b, x, y);
    case TG_OP_rem: return tg_bound_of_rem(b, x, y);
    default: return of_sum(b, x, y);
    }
}

tg_value_id tg_bound_passed(tg_bound *b, const tg_op *op)
{
    const tg_value_id x = op->in[0];
    if (!any_is_off(b, op)) return TG_NO_BOUND;
    switch (op->code) {
    case TG_OP_add:
    case TG_OP_sub:
    case TG_OP_mul:
    case TG_OP_div:
    case TG_OP_atan2:
    case TG_OP_rem: return tg_bound_unless_nan(b, x, op->in[1], of_two(b, x, op->in[1]));
    case TG_OP_fma:
        return tg_bound_unless_nan(b, x, op->in[1], of_product_and_sum(b, x, op->in[1], op->in[2]));
    case TG_OP_square: return of_product(b, x, x);
    case TG_OP_integer_pow: return of_power(b, x);
    case TG_OP_pow: return tg_bound_of_pow(b, x, op->in[1]); /* 1 to the power NaN is 1 */
    default: return tg_bound_of_function(b, x);
    }
}
