/* Below, e(v) is the bound of v. */
#include "bounds/passed.h"

#include <math.h>

#include "bounds/emit.h"
#include "bounds/model.h"

/* Returns whether an element is infinite, and not off. */
static tg_value_id is_surely_infinite(tg_bound *b, tg_value_id v)
{
    const tg_value_id e = tg_bound_of(b, v), size = tg_bound_size(b, v),
                      is_infinite = tg_build_2(b->to, TG_OP_eq, size,
                                               tg_bound_number(b, size, (double)INFINITY)),
                      is_same = tg_build_2(b->to, TG_OP_eq, e, tg_bound_number(b, e, 0));
    return tg_build_2(b->to, TG_OP_and, is_infinite, is_same);
}

/* Returns e(x) + e(y); 0 where one is infinite and not off, and the bound of the other is
 * finite. */
static tg_value_id of_sum(tg_bound *b, tg_value_id x, tg_value_id y)
{
    const tg_value_id sum = tg_bound_add(b, tg_bound_of(b, x), tg_bound_of(b, y)),
                      either = tg_build_2(b->to, TG_OP_or, is_surely_infinite(b, x),
                                          is_surely_infinite(b, y));
    return tg_build_select(b->to, either, sum, tg_bound_scaled(b, sum, 0));
}

static tg_value_id of_product(tg_bound *b, tg_value_id x, tg_value_id y)
{
    const tg_value_id ex = tg_bound_of(b, x), ey = tg_bound_of(b, y);
    return tg_bound_add(b,
                        tg_bound_add(b, tg_bound_times(b, tg_bound_size(b, x), ey),
                                     tg_bound_times(b, tg_bound_size(b, y), ex)),
                        tg_bound_times(b, ex, ey));
}

/* Returns (e(x) + |x / y| e(y)) / (|y| - e(y)); infinite where y may be 0. */
static tg_value_id of_quotient(tg_bound *b, tg_value_id x, tg_value_id y)
{
    const tg_value_id ex = tg_bound_of(b, x), ey = tg_bound_of(b, y),
                      quotient =
                          tg_build_2(b->to, TG_OP_div, tg_bound_size(b, x), tg_bound_size(b, y)),
                      sum = tg_bound_add(b, ex, tg_bound_times(b, quotient, ey)),
                      zero = tg_bound_number(b, ex, 0),
                      gap = tg_build_2(b->to, TG_OP_max,
                                       tg_build_2(b->to, TG_OP_sub, tg_bound_size(b, y), ey), zero),
                      passed = tg_build_2(b->to, TG_OP_div, sum, gap);
    return tg_bound_where_zero(b, sum, passed);
}

/* The least and the greatest number for which a function is defined. */
typedef struct domain {
    double least, greatest;
} domain;

static domain domain_of(tg_opcode code)
{
    const double end = (double)INFINITY;
    switch (code) {
    case TG_OP_sqrt:
    case TG_OP_rsqrt:
    case TG_OP_log:
    case TG_OP_log2: return (domain){0, end};
    case TG_OP_log1p: return (domain){-1, end};
    case TG_OP_acosh: return (domain){1, end};
    case TG_OP_asin:
    case TG_OP_acos:
    case TG_OP_atanh:
    case TG_OP_erf_inv: return (domain){-1, 1};
    default: return (domain){-end, end};
    }
}

tg_value_id tg_bound_of_monotone(tg_bound *b, tg_opcode code, tg_value_id x)
{
    const domain d = domain_of(code);
    const tg_value_id e = tg_bound_of(b, x), at = tg_bound_real(b, x),
                      y = tg_build_1(b->to, code, at);
    tg_value_id far = tg_bound_scaled(b, tg_build_1(b->to, TG_OP_abs, y), TG_BOUND_F64_NOISE);
    for (int side = 0; side < 2; side++) {
        tg_value_id end = tg_build_2(b->to, side ? TG_OP_add : TG_OP_sub, at, e);
        if (!isinf(d.least))
            end = tg_build_2(b->to, TG_OP_max, end, tg_bound_number(b, e, d.least));
        if (!isinf(d.greatest))
            end = tg_build_2(b->to, TG_OP_min, end, tg_bound_number(b, e, d.greatest));
        const tg_value_id gap = tg_build_2(b->to, TG_OP_sub, tg_build_1(b->to, code, end), y);
        far = tg_bound_add(b, far, tg_build_1(b->to, TG_OP_abs, gap));
    }
    return tg_bound_where_zero(b, e, far);
}

/* cosh is steepest at the end that is farther from 0. */
static tg_value_id of_cosh(tg_bound *b, tg_value_id x)
{
    const tg_value_id e = tg_bound_of(b, x), size = tg_bound_size(b, x),
                      most = tg_build_1(b->to, TG_OP_cosh, tg_bound_add(b, size, e)),
                      gap = tg_build_2(b->to, TG_OP_sub, most, tg_build_1(b->to, TG_OP_cosh, size)),
                      far = tg_bound_add(b, gap, tg_bound_scaled(b, most, TG_BOUND_F64_NOISE));
    return tg_bound_where_zero(b, e, far);
}

static tg_value_id of_power(tg_bound *b, tg_value_id x)
{
    const tg_value_id e = tg_bound_of(b, x), size = tg_bound_size(b, x),
                      most = tg_bound_add(b, size, e);
    if (tg_op_int(b->op, TG_ATTR_exponent, 0) < 1)
        tg_bound_refuse(b, "the exponent is not positive");
    const tg_value_id high = tg_bound_again(b, TG_OP_integer_pow, &most, 1),
                      low = tg_bound_again(b, TG_OP_integer_pow, &size, 1),
                      noise = tg_bound_scaled(b, high, TG_BOUND_F64_NOISE);
    return tg_bound_where_zero(b, e,
                               tg_bound_add(b, tg_build_2(b->to, TG_OP_sub, high, low), noise));
}

tg_value_id tg_bound_passed(tg_bound *b, const tg_op *op)
{
    const tg_value_id x = op->in[0];
    switch (op->code) {
    case TG_OP_add:
    case TG_OP_sub: return of_sum(b, x, op->in[1]);
    case TG_OP_mul: return of_product(b, x, op->in[1]);
    case TG_OP_square: return of_product(b, x, x);
    case TG_OP_div: return of_quotient(b, x, op->in[1]);
    case TG_OP_integer_pow: return of_power(b, x);
    case TG_OP_sin: /* their slope is at most 1 */
    case TG_OP_cos: return tg_bound_of(b, x);
    case TG_OP_cosh: return of_cosh(b, x);
    default: return tg_bound_of_monotone(b, op->code, x);
    }
}
