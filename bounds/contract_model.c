/* An implementation that keeps a contract, against exact arithmetic (Higham, Accuracy and Stability
 * of Numerical Algorithms, 2nd edition: rounding 2.2, chains 3.1, sums 4.2). */
#include "bounds/contract_model.h"

#include <math.h>

#include "bounds/emit.h"

/* Numbers that are multiples of 2^-QUANTUM and whose sizes add up to no more than 2^MOST_EXACT have
 * exact sums in f32, in any order. */
enum { QUANTUM = 8, MOST_EXACT = 16 };

static bool adds_error(const tg_bound *b, const tg_op *op)
{
    if (op->out_count != 1 || !tg_is_float(tg_bound_dtype(b, op->out[0]))) return false;
    switch (op->code) {
    case TG_OP_constant:
    case TG_OP_undefined:
    case TG_OP_iota:
    case TG_OP_bitcast:
    case TG_OP_nextafter:
    case TG_OP_gather:
    case TG_OP_sort:
    case TG_OP_cummax:
    case TG_OP_cummin:
    case TG_OP_neg:
    case TG_OP_abs:
    case TG_OP_sign:
    case TG_OP_max:
    case TG_OP_min:
    case TG_OP_clamp:
    case TG_OP_floor:
    case TG_OP_ceil:
    case TG_OP_round:
    case TG_OP_reduce_max:
    case TG_OP_reduce_min: return false;
    case TG_OP_convert: return !tg_bound_keeps_all(b, op);
    default: return !tg_op_moves(op->code);
    }
}

static tg_value_id is_zero(tg_bound *b, tg_value_id v)
{
    return tg_build_2(b->to, TG_OP_eq, v, tg_bound_number(b, v, 0));
}

static tg_value_id both(tg_bound *b, tg_value_id x, tg_value_id y)
{
    return tg_build_2(b->to, TG_OP_and, x, y);
}

/* Returns `bound`, or 0 where `is_exact`. */
static tg_value_id unless(tg_bound *b, tg_value_id is_exact, tg_value_id bound)
{
    return tg_build_select(b->to, is_exact, bound, tg_bound_number(b, bound, 0));
}

/* Infinite where the result may overflow: `reach` is as far from zero as it may be before it is
 * rounded.  0 where the exact result is infinite or NaN and no operand is off. */
static tg_value_id with_overflow(tg_bound *b, tg_value_id reach, tg_value_id passed,
                                 tg_value_id bound)
{
    const tg_dtype dtype = tg_bound_dtype(b, b->op->out[0]);
    const tg_value_id size = tg_bound_size(b, b->op->out[0]),
                      limit = tg_bound_number(b, size, tg_bound_greatest(dtype)),
                      fits = tg_build_2(b->to, TG_OP_le, reach, limit),
                      infinite = tg_bound_number(b, size, (double)INFINITY),
                      is_finite = tg_build_2(b->to, TG_OP_lt, size, infinite),
                      is_special =
                          both(b, tg_build_1(b->to, TG_OP_not, is_finite), is_zero(b, passed));
    return unless(b, is_special, tg_build_select(b->to, fits, infinite, bound));
}

/* Returns whether the exact result is a number of the result's dtype.  Not known in f64, as the
 * result is rounded there. */
static tg_value_id is_representable(tg_bound *b)
{
    const tg_value_id exact = tg_bound_real(b, b->op->out[0]),
                      there = tg_build_convert(b->to, exact, tg_bound_dtype(b, b->op->out[0]));
    return tg_build_2(b->to, TG_OP_eq, tg_build_convert(b->to, there, TG_DT_f64), exact);
}

/* In half units. */
static double error_of(const tg_bound *b, tg_bound_rounding how)
{
    const tg_contract *c = b->contract;
    if (how == TG_BOUND_BASIC) return 2 * c->ulp;
    if (how == TG_BOUND_ELEMENTARY) return 2 * c->elementary;
    const double chain = 2 * c->ulp * (double)tg_op_int(b->op, TG_ATTR_exponent, 1);
    return chain > 2 * c->elementary ? chain : 2 * c->elementary;
}

static tg_value_id rounded(tg_bound *b, tg_value_id passed, tg_bound_rounding how)
{
    const tg_value_id out = b->op->out[0];
    const tg_dtype dtype = tg_bound_dtype(b, out);
    const double half_units = error_of(b, how),
                 share = half_units * TG_BOUND_SLACK * tg_bound_half_unit(dtype) + 0x1p-51;
    const tg_value_id size = tg_bound_add(b, tg_bound_size(b, out), passed),
                      least = tg_bound_number(b, passed, half_units * tg_bound_half_least(dtype)),
                      error = tg_bound_add(b, tg_bound_scaled(b, size, share), least);
    tg_value_id bound = tg_bound_add(b, passed, error);
    if (how == TG_BOUND_BASIC && b->contract->ulp == 0.5 && dtype != TG_DT_f64)
        bound = unless(b, both(b, is_zero(b, passed), is_representable(b)), bound);
    /* Half a unit more is still rounded to the greatest number. */
    const bool is_nearest = how == TG_BOUND_BASIC && half_units <= 1;
    const tg_value_id reach = is_nearest
                                  ? tg_bound_scaled(b, size, 1 - 0.75 * tg_bound_half_unit(dtype))
                                  : tg_bound_add(b, tg_bound_size(b, out), bound);
    return with_overflow(b, reach, passed, bound);
}

/* ---- sums ---- */

/* Returns which elements are multiples of 2^-bits. */
static tg_value_id are_multiples(tg_bound *b, tg_value_id v, int bits)
{
    const tg_value_id scaled = tg_bound_scaled(b, v, ldexp(1, bits));
    return tg_build_2(b->to, TG_OP_eq, scaled, tg_build_1(b->to, TG_OP_floor, scaled));
}

/* Sums of f32 and f64 alone: narrower accumulators hold fewer numbers. */
static bool may_be_exact(tg_dtype dtype) { return dtype == TG_DT_f32 || dtype == TG_DT_f64; }

static tg_value_id is_small(tg_bound *b, tg_value_id sizes)
{
    return tg_build_2(b->to, TG_OP_le, sizes, tg_bound_number(b, sizes, ldexp(1, MOST_EXACT)));
}

static tg_value_id sum(tg_bound *b, tg_value_id passed, tg_value_id sizes, double count, int levels)
{
    const tg_op *op = b->op;
    const tg_dtype dtype = tg_bound_dtype(b, op->out[0]);
    const double roundings = b->contract->sums == TG_SUM_TREE ? levels : count - 1,
                 share = TG_BOUND_SLACK * tg_bound_of_chain(roundings, tg_bound_half_unit(dtype)) +
                         count * 0x1p-52;
    const tg_value_id factor = tg_bound_number(b, passed, share),
                      error = tg_bound_times(b, factor, tg_bound_add(b, sizes, passed));
    tg_value_id bound = tg_bound_add(b, passed, error);
    if (may_be_exact(dtype)) {
        tg_type type = tg_build_type(b->to, op->out[0]);
        type.dtype = TG_DT_bool;
        tg_build_in(b->to, are_multiples(b, tg_bound_real(b, op->in[0]), QUANTUM));
        tg_build_attrs_of(b->to, op);
        const tg_value_id all = tg_build_result(b->to, TG_OP_reduce_and, &type);
        bound = unless(b, both(b, both(b, all, is_small(b, sizes)), is_zero(b, passed)), bound);
    }
    return with_overflow(b, tg_bound_add(b, sizes, bound), passed, bound);
}

/* Terms are added in any order, in f32 or f64; products are exact or rounded. */
static tg_value_id dot(tg_bound *b, double terms)
{
    const tg_op *op = b->op;
    const tg_value_id x = op->in[0], y = op->in[1];
    const tg_dtype dtype = tg_bound_dtype(b, op->out[0]);
    const double unit = tg_bound_half_unit(dtype == TG_DT_f64 ? TG_DT_f64 : TG_DT_f32),
                 share = TG_BOUND_SLACK * tg_bound_of_chain(terms, unit) + terms * 0x1p-50;
    const tg_value_id size_x = tg_bound_size(b, x), size_y = tg_bound_size(b, y),
                      sizes = tg_bound_dot(b, size_x, size_y);
    const bool is_off = tg_bound_is_off(b, x) || tg_bound_is_off(b, y);
    const tg_value_id most = is_off ? tg_bound_dot(b, tg_bound_add(b, size_x, tg_bound_of(b, x)),
                                                   tg_bound_add(b, size_y, tg_bound_of(b, y)))
                                    : sizes,
                      passed = is_off ? tg_build_2(b->to, TG_OP_sub, most, sizes)
                                      : tg_bound_number(b, sizes, 0),
                      error = tg_bound_add(b, tg_bound_scaled(b, most, share),
                                           tg_bound_number(b, most, terms * 0x1p-149)),
                      bound = tg_bound_add(b, passed, error);
    const tg_value_id multiples =
        both(b, tg_bound_all(b, are_multiples(b, tg_bound_real(b, x), QUANTUM / 2)),
             tg_bound_all(b, are_multiples(b, tg_bound_real(b, y), QUANTUM / 2)));
    const tg_value_id small = both(b, is_small(b, sizes), is_zero(b, passed)),
                      exact_if_small = unless(b, small, bound),
                      total = tg_build_select(b->to, multiples, bound, exact_if_small);
    if (dtype == TG_DT_f32 || dtype == TG_DT_f64)
        return with_overflow(b, tg_bound_add(b, most, total), passed, total);
    return rounded(b, total, TG_BOUND_BASIC);
}

const tg_bound_model tg_contract_model = {
    .adds_error = adds_error, .rounded = rounded, .sum = sum, .dot = dot};
