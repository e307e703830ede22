#include "bounds/special.h"

#include <math.h>

#include "bounds/emit.h"
#include "bounds/facts.h"
#include "bounds/model.h"

/* Returns whether an element has a property, and is not off. */
static tg_value_id surely(tg_bound *b, tg_value_id v, tg_value_id has_it)
{
    const tg_value_id e = tg_bound_of(b, v);
    if (e == TG_NO_BOUND) return has_it;
    return tg_bound_2(b, TG_OP_and, has_it, tg_bound_compare(b, TG_OP_eq, e, 0));
}

static tg_value_id is_surely_infinite(tg_bound *b, tg_value_id v)
{
    return surely(b, v, tg_bound_compare(b, TG_OP_eq, tg_bound_size(b, v), (double)INFINITY));
}

static tg_value_id is_surely_nan(tg_bound *b, tg_value_id v)
{
    const tg_value_id real = tg_bound_real(b, v);
    return surely(b, v, tg_bound_2(b, TG_OP_ne, real, real));
}

/* Returns whether an element of the value may be infinite or NaN, and not off. */
static bool may_be_surely_special(const tg_bound *b, tg_value_id v)
{
    return tg_bound_may_be_zero(b, tg_bound_of(b, v)) && !tg_bound_knows(b, v, TG_FACT_FINITE);
}

/* Returns `property` of x or y, of those that may be special: a bool; TG_NO_BOUND: of none. */
static tg_value_id either(tg_bound *b, tg_value_id x, tg_value_id y,
                          tg_value_id (*property)(tg_bound *b, tg_value_id v))
{
    const bool first = may_be_surely_special(b, x), second = may_be_surely_special(b, y);
    if (!first && !second) return TG_NO_BOUND;
    const tg_value_id one = property(b, first ? x : y);
    return first && second && x != y ? tg_bound_2(b, TG_OP_or, one, property(b, y)) : one;
}

tg_value_id tg_bound_surely_infinite(tg_bound *b, tg_value_id x, tg_value_id y)
{
    return either(b, x, y, is_surely_infinite);
}

/* Returns `bound`, or 0 where `is_sure`. */
static tg_value_id unless(tg_bound *b, tg_value_id is_sure, tg_value_id bound)
{
    return tg_bound_select(b, is_sure, bound, tg_bound_number(b, bound, 0));
}

tg_value_id tg_bound_unless_nan(tg_bound *b, tg_value_id x, tg_value_id y, tg_value_id bound)
{
    const tg_value_id is_nan = b->contract ? either(b, x, y, is_surely_nan) : TG_NO_BOUND;
    return is_nan == TG_NO_BOUND ? bound : unless(b, is_nan, bound);
}

tg_value_id tg_bound_unless_any_nan(tg_bound *b, tg_value_id bound)
{
    const tg_value_id x = b->op->in[0];
    if (!b->contract || !may_be_surely_special(b, x)) return bound;
    const bool is_running = b->op->code == TG_OP_cummax || b->op->code == TG_OP_cummin;
    const tg_value_id nans = tg_bound_convert(b, is_surely_nan(b, x), TG_DT_f64),
                      any =
                          tg_bound_again(b, is_running ? TG_OP_cummax : TG_OP_reduce_max, &nans, 1);
    return unless(b, tg_bound_compare(b, TG_OP_gt, any, 0), bound);
}

/* Returns a term of a sum that is NaN where x is NaN and not off, 0 where x is infinite and not off,
 * infinite where it may be infinite or NaN, and |x| + e(x) elsewhere. */
static tg_value_id finite_part(tg_bound *b, tg_value_id x)
{
    const tg_value_id size = tg_bound_size(b, x), most = tg_bound_add(b, size, tg_bound_of(b, x)),
                      is_finite = tg_bound_compare(b, TG_OP_lt, most, (double)INFINITY),
                      other = tg_bound_only_if(b, is_finite, most),
                      counted = tg_bound_select(b, is_surely_infinite(b, x), other,
                                                tg_bound_number(b, other, 0));
    return tg_bound_select(b, is_surely_nan(b, x), counted, size);
}

tg_value_id tg_bound_unless_special_sum(tg_bound *b, tg_value_id bound, double most)
{
    const tg_value_id term = finite_part(b, b->op->in[0]),
                      sizes = tg_bound_again(b, b->op->code, &term, 1),
                      is_nan = tg_bound_2(b, TG_OP_ne, sizes, sizes),
                      out_size = tg_bound_size(b, b->op->out[0]),
                      is_finite = tg_bound_compare(b, TG_OP_lt, out_size, (double)INFINITY),
                      fits = tg_bound_compare(b, TG_OP_le, sizes, most),
                      is_decided =
                          tg_bound_2(b, TG_OP_and, fits, tg_bound_1(b, TG_OP_not, is_finite));
    return unless(b, tg_bound_2(b, TG_OP_or, is_nan, is_decided), bound);
}

tg_value_id tg_bound_overflow_surely(tg_bound *b, tg_value_id passed)
{
    const tg_value_id out = b->op->out[0], exact = tg_bound_real(b, out),
                      size = tg_bound_size(b, out),
                      least = passed == TG_NO_BOUND ? size : tg_bound_2(b, TG_OP_sub, size, passed);
    const tg_dtype dtype = tg_bound_dtype(b, out);
    const double most = tg_bound_greatest(dtype) * (1 + 0.51 * tg_bound_half_unit(dtype));
    const tg_value_id surely = tg_bound_compare(b, TG_OP_gt, least, most),
                      infinite = tg_bound_scaled(b, exact, (double)INFINITY);
    b->companion[TG_COMPANION_EXACT][out] = tg_bound_select(b, surely, exact, infinite);
    return surely;
}

/* Rounding is monotone: what is between two numbers that are rounded to one is rounded to it. */
tg_value_id tg_bound_absorbed(tg_bound *b, tg_value_id passed, tg_value_id bound)
{
    const tg_value_id exact = tg_bound_real(b, b->op->out[0]),
                      noise = tg_bound_scaled(b, tg_bound_1(b, TG_OP_abs, exact), 0x1p-50),
                      off = tg_bound_add(b, tg_bound_scaled(b, passed, 1 + 0x1p-40), noise);
    tg_value_id end[2];
    for (int i = 0; i < 2; i++) {
        end[i] = tg_bound_2(b, i ? TG_OP_add : TG_OP_sub, exact, off);
        end[i] = tg_bound_convert(b, tg_bound_convert(b, end[i], TG_DT_f32), TG_DT_f64);
    }
    const tg_value_id gap = tg_bound_1(b, TG_OP_abs, tg_bound_2(b, TG_OP_sub, end[0], exact));
    return tg_bound_select(b, tg_bound_2(b, TG_OP_eq, end[0], end[1]), bound, gap);
}
