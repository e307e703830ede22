/* Below, e is the bound of the operand x, and y the result.  Where a formula is known that needs no
 * second value of the function, it is used: such values take far longer than arithmetic. */
#include "bounds/functions.h"

#include <math.h>

#include "bounds/emit.h"
#include "bounds/facts.h"
#include "bounds/model.h"

static tg_value_id product(tg_bound *b, tg_value_id x, tg_value_id y)
{
    return tg_bound_2(b, TG_OP_mul, x, y);
}

/* Without a contract, a result has no companion in f64. */
static tg_value_id result(tg_bound *b)
{
    if (b->contract) return tg_bound_real(b, b->op->out[0]);
    const tg_value_id x = tg_bound_real(b, b->op->in[0]);
    return tg_bound_again(b, b->op->code, &x, 1);
}

/* Returns whether the bound is at most `most`. */
static tg_value_id is_at_most(tg_bound *b, tg_value_id e, double most)
{
    return tg_bound_compare(b, TG_OP_le, e, most);
}

/* Returns e (1 + slope e). */
static tg_value_id grown(tg_bound *b, tg_value_id e, double slope)
{
    return product(b, e, tg_bound_plus_number(b, tg_bound_scaled(b, e, slope), 1));
}

/* ---- exp and its relatives ---- */

/* exp(x + d) - exp(x) = exp(x) (exp(d) - 1), and exp(e) - 1 <= e + e^2 for e <= 1.  Where e is
 * greater, the result is at most 2^-149 if x + e <= -104.  `value`: exp(x); x and e are to the base
 * e. */
static tg_value_id of_exponential(tg_bound *b, tg_value_id x, tg_value_id e, tg_value_id value)
{
    const tg_value_id near = product(b, value, grown(b, e, 1)),
                      is_tiny = is_at_most(b, tg_bound_2(b, TG_OP_add, x, e), -104),
                      far = tg_bound_only_if(b, is_tiny, tg_bound_number(b, e, 0x1p-149));
    return tg_bound_select(b, is_at_most(b, e, 1), far, near);
}

static tg_value_id of_exp(tg_bound *b, tg_value_id x, tg_value_id e)
{
    return of_exponential(b, tg_bound_real(b, x), e, result(b));
}

static tg_value_id of_exp2(tg_bound *b, tg_value_id x, tg_value_id e)
{
    const double log_2 = 0x1.62e42fefa39f0p-1; /* rounded up */
    return of_exponential(b, tg_bound_scaled(b, tg_bound_real(b, x), log_2),
                          tg_bound_scaled(b, e, log_2), result(b));
}

static tg_value_id of_expm1(tg_bound *b, tg_value_id x, tg_value_id e)
{
    return of_exponential(b, tg_bound_real(b, x), e, tg_bound_plus_number(b, result(b), 1));
}

/* The slope is cosh <= 1 + |sinh x|, times exp(e) <= 1 + 1.72 e at the far end, for e <= 1. */
static tg_value_id of_sinh(tg_bound *b, tg_value_id x, tg_value_id e)
{
    const tg_value_id slope = tg_bound_plus_number(b, tg_bound_size(b, b->op->out[0]), 1);
    (void)x;
    return tg_bound_only_if(b, is_at_most(b, e, 1), product(b, slope, grown(b, e, 1.72)));
}

/* cosh is steepest at the end that is farther from 0. */
static tg_value_id of_cosh(tg_bound *b, tg_value_id x, tg_value_id e)
{
    const tg_value_id size = tg_bound_size(b, x),
                      most = tg_bound_1(b, TG_OP_cosh, tg_bound_2(b, TG_OP_add, size, e)),
                      gap = tg_bound_2(b, TG_OP_sub, most, result(b)),
                      noise = tg_bound_scaled(b, most, TG_BOUND_F64_NOISE);
    return tg_bound_2(b, TG_OP_add, tg_bound_1(b, TG_OP_abs, gap), noise);
}

/* Both have slopes s with |s'| <= rate s, so that the result moves by at most s (e + rate e^2) for
 * rate e <= 1; and by at most `most` in all. */
static tg_value_id of_sigmoid(tg_bound *b, tg_value_id e, tg_value_id slope, double rate,
                              double most)
{
    const tg_value_id near = product(b, slope, grown(b, e, rate));
    const tg_value_id far = tg_bound_unless_nan(b, tg_bound_number(b, e, most), e);
    return tg_bound_select(b, is_at_most(b, e, 1 / rate), far, near);
}

static tg_value_id of_logistic(tg_bound *b, tg_value_id x, tg_value_id e)
{
    const tg_value_id y = result(b), rest = tg_bound_2(b, TG_OP_sub, tg_bound_number(b, y, 1), y);
    (void)x;
    return of_sigmoid(b, e, product(b, y, rest), 1, 1);
}

static tg_value_id of_tanh(tg_bound *b, tg_value_id x, tg_value_id e)
{
    const tg_value_id y = result(b),
                      slope = tg_bound_2(b, TG_OP_sub, tg_bound_number(b, y, 1), product(b, y, y));
    (void)x;
    return of_sigmoid(b, e, slope, 2, 2);
}

/* ---- logarithms and roots ---- */

/* Returns x + offset - e, the end of the interval next to 0. */
static tg_value_id near_end(tg_bound *b, tg_value_id x, tg_value_id e, double offset)
{
    const tg_value_id real = tg_bound_real(b, x),
                      moved = offset > 0 ? tg_bound_plus_number(b, real, offset) : real;
    return tg_bound_2(b, TG_OP_sub, moved, e);
}

/* Returns factor e / end; infinite where the interval reaches 0. */
static tg_value_id over_end(tg_bound *b, tg_value_id e, tg_value_id end, tg_value_id factor)
{
    const tg_value_id quotient = tg_bound_2(b, TG_OP_div, product(b, factor, e), end);
    return tg_bound_only_if(b, tg_bound_compare(b, TG_OP_gt, end, 0), quotient);
}

/* The slope is 1 / x, greatest at the lower end. */
static tg_value_id of_log(tg_bound *b, tg_value_id x, tg_value_id e)
{
    return over_end(b, e, near_end(b, x, e, 0), tg_bound_number(b, e, 1));
}

static tg_value_id of_log2(tg_bound *b, tg_value_id x, tg_value_id e)
{
    const double over_log_2 = 0x1.71547652b82ffp+0; /* rounded up */
    return over_end(b, e, near_end(b, x, e, 0), tg_bound_number(b, e, over_log_2));
}

static tg_value_id of_log1p(tg_bound *b, tg_value_id x, tg_value_id e)
{
    return over_end(b, e, near_end(b, x, e, 1), tg_bound_number(b, e, 1));
}

/* 1 / sqrt(x - e) = y sqrt(1 + e / (x - e)), and sqrt(1 + t) - 1 <= t / 2. */
static tg_value_id of_rsqrt(tg_bound *b, tg_value_id x, tg_value_id e)
{
    return over_end(b, e, near_end(b, x, e, 0), tg_bound_scaled(b, result(b), 0.5));
}

/* |sqrt(x + d) - sqrt(x)| <= e / sqrt(x), and <= sqrt(e). */
static tg_value_id of_sqrt(tg_bound *b, tg_value_id x, tg_value_id e)
{
    const tg_value_id root = tg_bound_2(b, TG_OP_max, result(b), tg_bound_1(b, TG_OP_sqrt, e)),
                      moved = tg_bound_2(b, TG_OP_div, e, root);
    if (tg_bound_knows(b, x, TG_FACT_NOT_NEGATIVE)) return moved;
    return tg_bound_only_if(b, tg_bound_2(b, TG_OP_ge, tg_bound_real(b, x), e), moved);
}

/* ---- slopes that are bounded everywhere ---- */

static tg_value_id of_erf(tg_bound *b, tg_value_id x, tg_value_id e)
{
    const double steepest = 1.1283791671; /* 2 / sqrt(pi), rounded up */
    (void)x;
    return tg_bound_scaled(b, e, steepest);
}

static tg_value_id of_slope_one(tg_bound *b, tg_value_id x, tg_value_id e)
{
    (void)b;
    (void)x;
    return e;
}

/* tan(x + d) - tan(x) = (1 + y^2) t / (1 - y t), for t = tan(d) <= e + e^3, for e <= 1. */
static tg_value_id of_tan(tg_bound *b, tg_value_id x, tg_value_id e)
{
    const tg_value_id y = result(b),
                      t = product(b, e, tg_bound_plus_number(b, product(b, e, e), 1)),
                      slope = tg_bound_plus_number(b, product(b, y, y), 1),
                      off = product(b, tg_bound_1(b, TG_OP_abs, y), t),
                      rest = tg_bound_2(b, TG_OP_sub, tg_bound_number(b, y, 1), off),
                      moved = tg_bound_2(b, TG_OP_div, product(b, slope, t), rest),
                      is_near = tg_bound_2(b, TG_OP_and, is_at_most(b, e, 1),
                                           tg_bound_compare(b, TG_OP_gt, rest, 0));
    (void)x;
    return tg_bound_only_if(b, is_near, moved);
}

/* ---- the others ---- */

/* The least and the greatest number for which a function is defined. */
typedef struct domain {
    double least, greatest;
} domain;

static domain domain_of(tg_opcode code)
{
    const double end = (double)INFINITY;
    switch (code) {
    case TG_OP_acosh: return (domain){1, end};
    case TG_OP_asin:
    case TG_OP_acos:
    case TG_OP_atanh:
    case TG_OP_erf_inv: return (domain){-1, 1};
    default: return (domain){-end, end};
    }
}

/* Monotone functions: from their values at both ends of the interval that contains the operand. */
static tg_value_id of_monotone(tg_bound *b, tg_value_id x, tg_value_id e)
{
    const tg_opcode code = b->op->code;
    const domain d = domain_of(code);
    const tg_value_id at = tg_bound_real(b, x), y = result(b),
                      low = tg_bound_2(b, TG_OP_sub, at, e), high = tg_bound_2(b, TG_OP_add, at, e);
    tg_value_id far = tg_bound_scaled(b, tg_bound_1(b, TG_OP_abs, y), TG_BOUND_F64_NOISE);
    for (int side = 0; side < 2; side++) {
        const tg_value_id end = tg_bound_again(b, code, side ? &high : &low, 1),
                          gap = tg_bound_1(b, TG_OP_abs, tg_bound_2(b, TG_OP_sub, end, y));
        far = tg_bound_2(b, TG_OP_add, far, gap);
    }
    if (code == TG_OP_sign) far = tg_bound_unless_nan(b, far, e);
    if (!isinf(d.least))
        far = tg_bound_only_if(b, tg_bound_compare(b, TG_OP_ge, low, d.least), far);
    if (!isinf(d.greatest))
        far = tg_bound_only_if(b, tg_bound_compare(b, TG_OP_le, high, d.greatest), far);
    return far;
}

typedef tg_value_id of_function(tg_bound *b, tg_value_id x, tg_value_id e);

tg_value_id tg_bound_of_function(tg_bound *b, tg_value_id x)
{
    static of_function *const known[TG_OP_COUNT] = {
        [TG_OP_exp] = of_exp,        [TG_OP_exp2] = of_exp2,       [TG_OP_expm1] = of_expm1,
        [TG_OP_sinh] = of_sinh,      [TG_OP_cosh] = of_cosh,       [TG_OP_logistic] = of_logistic,
        [TG_OP_tanh] = of_tanh,      [TG_OP_log] = of_log,         [TG_OP_log2] = of_log2,
        [TG_OP_log1p] = of_log1p,    [TG_OP_rsqrt] = of_rsqrt,     [TG_OP_sqrt] = of_sqrt,
        [TG_OP_erf] = of_erf,        [TG_OP_sin] = of_slope_one,   [TG_OP_cos] = of_slope_one,
        [TG_OP_atan] = of_slope_one, [TG_OP_asinh] = of_slope_one, [TG_OP_tan] = of_tan};
    const tg_value_id e = tg_bound_of(b, x), moved = known[b->op->code]
                                                         ? known[b->op->code](b, x, e)
                                                         : of_monotone(b, x, e);
    return tg_bound_may_be_zero(b, e) ? tg_bound_where_zero(b, e, moved) : moved;
}
