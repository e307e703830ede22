/* An implementation that keeps a contract, against exact arithmetic (Higham, Accuracy and Stability
 * of Numerical Algorithms, 2nd edition: rounding 2.2, chains 3.1, sums 4.2). */
#include "bounds/contract_model.h"

#include <math.h>

#include "bounds/accuracy.h"
#include "bounds/adding.h"
#include "bounds/emit.h"
#include "bounds/facts.h"
#include "bounds/operands.h"
#include "bounds/precision.h"
#include "bounds/special.h"

/* Stands for the share of a chain of roundings that says nothing; the bound is infinite then, but
 * where the sum is exact. */
#define NO_SHARE 0x1p40

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
    case TG_OP_rem:
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
    case TG_OP_scatter: return tg_op_int(op, TG_ATTR_combine, 0) != 0;
    case TG_OP_convert: return !tg_bound_keeps_all(b, op);
    default: return !tg_op_moves(op->code);
    }
}

static tg_value_id both(tg_bound *b, tg_value_id x, tg_value_id y)
{
    return tg_bound_2(b, TG_OP_and, x, y);
}

/* Returns `bound`, or 0 where `is_exact`. */
static tg_value_id unless(tg_bound *b, tg_value_id is_exact, tg_value_id bound)
{
    return tg_bound_select(b, is_exact, bound, tg_bound_number(b, bound, 0));
}

/* Returns whether a size or bound is neither infinite nor NaN. */
static tg_value_id is_finite(tg_bound *b, tg_value_id size)
{
    return tg_bound_compare(b, TG_OP_lt, size, (double)INFINITY);
}

/* Returns whether no operand is off; `passed` may be TG_NO_BOUND. */
static tg_value_id and_none_is_off(tg_bound *b, tg_value_id flag, tg_value_id passed)
{
    if (passed == TG_NO_BOUND) return flag;
    return both(b, flag, tg_bound_compare(b, TG_OP_eq, passed, 0));
}

/* Returns `bound`, or 0 where the exact result is infinite or NaN and no operand is off. */
static tg_value_id unless_special(tg_bound *b, tg_value_id passed, tg_value_id bound)
{
    const tg_value_id size = tg_bound_size(b, b->op->out[0]),
                      is_special = tg_bound_1(b, TG_OP_not, is_finite(b, size));
    return unless(b, and_none_is_off(b, is_special, passed), bound);
}

/* ---- single operations ---- */

/* In half units. */
static double error_of(const tg_bound *b, tg_bound_rounding how)
{
    const tg_contract *c = b->contract;
    if (how == TG_BOUND_BASIC)
        return 2 * tg_contract_ulp(c, b->op->code, false, tg_bound_dtype(b, b->op->out[0]));
    if (how == TG_BOUND_ELEMENTARY)
        return 2 * tg_contract_ulp(c, b->op->code, true, tg_bound_dtype(b, b->op->out[0]));
    const double exponent = (double)tg_op_int(b->op, TG_ATTR_exponent, 1),
                 steps = exponent < 0 ? -exponent : exponent,
                 inverse = exponent < 0 ? tg_contract_ulp(c, TG_OP_div, false,
                                                          tg_bound_dtype(b, b->op->out[0]))
                                        : 0,
                 chain = 2 * (c->ulp * steps + inverse),
                 function =
                     2 * tg_contract_ulp(c, TG_OP_pow, true, tg_bound_dtype(b, b->op->out[0]));
    return chain > function ? chain : function;
}

/* Returns whether exact operands determine the result: it is rounded to nearest.  In f64 the exact
 * result is not known. */
static bool is_determined(const tg_bound *b, tg_bound_rounding how)
{
    return how == TG_BOUND_BASIC && error_of(b, how) <= 1 && !tg_bound_is_listed(b) &&
           tg_bound_dtype(b, b->op->out[0]) != TG_DT_f64;
}

static bool is_sum(tg_opcode code) { return code == TG_OP_add || code == TG_OP_sub; }

/* Returns how far from 0 a result may be before it is rounded and still not overflow: rounded to
 * nearest, somewhat less than half a unit above the greatest number. */
static double most_that_fits(const tg_bound *b, double share, bool is_nearest)
{
    const tg_dtype dtype = tg_bound_dtype(b, b->op->out[0]);
    const double greatest = tg_bound_greatest(dtype);
    if (is_nearest) return greatest * (1 + 0.49 * tg_bound_half_unit(dtype));
    return greatest / (1 + 2 * share);
}

/* 1 / p, where the power p may overflow, if the result is less than the least normal number, or be
 * inaccurate, if the result is greater than the inverse of that. */
static tg_value_id of_inverse(tg_bound *b, tg_value_id size, tg_value_id bound)
{
    const tg_dtype dtype = tg_bound_dtype(b, b->op->out[0]);
    const double least_normal = tg_bound_least_normal(dtype);
    const tg_value_id all = tg_bound_plus_number(b, bound, 2 * least_normal);
    tg_bound_note(b, all, TG_FACT_POSITIVE);
    return tg_bound_only_if(b, tg_bound_compare(b, TG_OP_le, size, 0.25 / least_normal), all);
}

/* Returns passed + share (|z| + passed) + least, and infinity where the result may overflow. */
static tg_value_id rounding(tg_bound *b, tg_value_id passed, tg_bound_rounding how)
{
    const tg_value_id out = b->op->out[0];
    const tg_dtype dtype = tg_bound_dtype(b, out);
    if (how != TG_BOUND_POWER && tg_bound_is_listed(b)) return tg_bound_of_listed(b, passed);
    const double half_units = error_of(b, how),
                 share = half_units * TG_BOUND_SLACK * tg_bound_half_unit(dtype) + 0x1p-51;
    const tg_value_id size = tg_bound_add(b, tg_bound_size(b, out), passed);
    tg_value_id error = tg_bound_scaled(b, size, share);
    if (!is_sum(b->op->code)) /* sums of the least numbers are exact */
        error = tg_bound_plus_number(b, error, half_units * tg_bound_half_least(dtype));
    tg_value_id bound = tg_bound_add(b, passed, error);
    if (!is_sum(b->op->code) || !tg_bound_may_be_zero(b, passed))
        tg_bound_note(b, bound, TG_FACT_POSITIVE);
    if (how == TG_BOUND_POWER && tg_op_int(b->op, TG_ATTR_exponent, 1) < 0)
        return of_inverse(b, size, bound);
    if (tg_bound_is_small(b->op->code)) /* NaN is no bound */
        return tg_bound_only_if(b, is_finite(b, bound), bound);
    const double most = most_that_fits(b, share, how == TG_BOUND_BASIC && half_units <= 1);
    return tg_bound_only_if(b, tg_bound_compare(b, TG_OP_le, size, most), bound);
}

static tg_value_id rounded_or_infinite(tg_bound *b, tg_value_id passed, tg_bound_rounding how)
{
    const bool determined = is_determined(b, how);
    if (determined && passed == TG_NO_BOUND) return tg_bound_own_error(b);
    const tg_value_id bound = rounding(b, passed, how);
    if (!tg_bound_may_be_zero(b, passed)) return bound;
    if (determined)
        return tg_bound_select(b, tg_bound_compare(b, TG_OP_eq, passed, 0), bound,
                               tg_bound_own_error(b));
    return unless_special(b, passed, bound);
}

static tg_value_id rounded(tg_bound *b, tg_value_id passed, tg_bound_rounding how)
{
    /* Of narrower dtypes than f32: implementations that compute in f32 do not overflow there. */
    const bool is_narrow = tg_dtypes[tg_bound_dtype(b, b->op->out[0])].exp_bits < 8;
    if (is_narrow || !is_determined(b, how) || !tg_bound_may_be_huge(b))
        return rounded_or_infinite(b, passed, how);
    const tg_value_id surely = tg_bound_overflow_surely(b, passed);
    tg_value_id bound = rounded_or_infinite(b, passed, how);
    if (passed != TG_NO_BOUND && is_sum(b->op->code) &&
        tg_bound_dtype(b, b->op->out[0]) == TG_DT_f32)
        bound = tg_bound_absorbed(b, passed, bound);
    return unless(b, surely, bound);
}

/* ---- sums ---- */

/* Returns which elements are multiples of 2^-bits: those that stay as they are when numbers of
 * this step are all that there is. */
static tg_value_id are_multiples(tg_bound *b, tg_value_id v, int bits)
{
    const double step = 1.5 * ldexp(1, 52 - bits);
    const tg_value_id rounded_off =
        tg_bound_plus_number(b, tg_bound_plus_number(b, v, step), -step);
    return tg_bound_2(b, TG_OP_eq, rounded_off, v);
}

/* Returns `bound`, or 0 where the sum of exact elements is exact: all are multiples of a step, and
 * not too large.  Of a running sum, all elements count. */
static tg_value_id unless_exact_sum(tg_bound *b, const tg_bound_adding *a, tg_value_id passed,
                                    tg_value_id sizes, tg_value_id bound)
{
    tg_type type = tg_build_type(b->to, b->op->out[0]);
    type.dtype = TG_DT_bool;
    const tg_value_id multiples = are_multiples(b, tg_bound_real(b, b->op->in[0]), a->quantum),
                      all = b->op->code == TG_OP_reduce_sum
                                ? tg_bound_like(b, TG_OP_reduce_and, &multiples, 1, &type)
                                : tg_bound_spread(b, tg_bound_all(b, multiples), bound),
                      small = tg_bound_compare(b, TG_OP_le, sizes, ldexp(1, a->most));
    return unless(b, and_none_is_off(b, both(b, all, small), passed), bound);
}

/* Returns the error of the additions, for `all` the sum of the sizes and bounds.  Equal terms are all
 * rounded alike, so that nothing cancels. */
static tg_value_id of_additions(tg_bound *b, const tg_bound_adding *a, tg_value_id all,
                                double share, double noise)
{
    const tg_value_id certain = tg_bound_scaled(b, all, share);
    if (b->op->code != TG_OP_reduce_sum || isinf(a->random)) return certain;
    const tg_value_id x = tg_bound_real(b, b->op->in[0]),
                      least = tg_bound_again(b, TG_OP_reduce_min, &x, 1),
                      greatest = tg_bound_again(b, TG_OP_reduce_max, &x, 1),
                      probable = tg_bound_scaled(b, all, TG_BOUND_SLACK * a->random + noise);
    return tg_bound_select(b, tg_bound_2(b, TG_OP_eq, least, greatest), probable, certain);
}

static tg_value_id sum(tg_bound *b, tg_value_id passed, tg_value_id sizes, double count, int levels)
{
    const tg_dtype dtype = tg_bound_dtype(b, b->op->out[0]);
    const tg_bound_adding a = tg_bound_adding_of(b, false, count, levels);
    const double chain = tg_bound_of_chain(a.roundings, a.unit),
                 share = TG_BOUND_SLACK * (isinf(chain) ? NO_SHARE : chain) + count * 0x1p-52;
    const tg_value_id all = tg_bound_add(b, sizes, passed);
    tg_value_id bound = tg_bound_add(b, passed, of_additions(b, &a, all, share, count * 0x1p-52));
    if (tg_contract_flushes(b->contract, dtype))
        bound = tg_bound_plus_number(b, bound, count * tg_bound_least_normal(dtype));
    if (a.least > 0) bound = tg_bound_plus_number(b, bound, count * a.least);
    if (!tg_bound_may_be_zero(b, passed)) tg_bound_note(b, bound, TG_FACT_POSITIVE);
    const double greatest = fmin(a.greatest, tg_bound_greatest(dtype)),
                 most = isinf(chain) ? -1 : greatest / (1 + 2 * share);
    bound = tg_bound_only_if(b, tg_bound_compare(b, TG_OP_le, all, most), bound);
    if (tg_bound_may_be_zero(b, passed)) {
        if (a.most >= 0) bound = unless_exact_sum(b, &a, passed, sizes, bound);
        bound = tg_bound_unless_special_sum(b, bound, most);
    }
    return a.is_wider ? rounded(b, bound, TG_BOUND_BASIC) : bound;
}

/* Exact where nothing is added. */
static tg_value_id sum_of(tg_bound *b, tg_value_id passed, tg_value_id all, tg_value_id count)
{
    const tg_dtype dtype = tg_bound_dtype(b, b->op->out[0]);
    const double unit = TG_BOUND_SLACK * tg_bound_half_unit(dtype) + 0x1p-51,
                 most = tg_bound_greatest(dtype) / 2;
    const tg_value_id share = tg_bound_scaled(b, count, unit),
                      rest = tg_bound_2(b, TG_OP_sub, tg_bound_number(b, share, 1), share),
                      chain = tg_bound_2(b, TG_OP_div, share, rest),
                      bound = tg_bound_add(b, passed, tg_bound_2(b, TG_OP_mul, chain, all)),
                      fits = both(b, tg_bound_compare(b, TG_OP_le, all, most),
                                  tg_bound_compare(b, TG_OP_lt, share, 0.5)),
                      is_same = tg_bound_compare(b, TG_OP_eq, count, 0);
    return tg_bound_select(b, is_same, tg_bound_only_if(b, fits, bound), passed);
}

/* ---- products of matrices ---- */

/* The bound of a product, from products of `dtype`, in which they take less time than in f64: f32,
 * where the product is not of f64. */
typedef struct dot_parts {
    tg_dtype dtype;
    double share; /* of the sum of the sizes of the terms */
} dot_parts;

/* Returns a number of the dtype that is no less than `v`, of f64. */
static tg_value_id rounded_up(tg_bound *b, const dot_parts *d, tg_value_id v)
{
    if (d->dtype == TG_DT_f64) return v;
    const tg_value_id more = tg_bound_plus_number(b, tg_bound_scaled(b, v, 1 + 0x1p-22), 0x1p-149);
    return tg_bound_convert(b, more, d->dtype);
}

static tg_value_id size_in(tg_bound *b, const dot_parts *d, tg_value_id v)
{
    const tg_dtype dtype = tg_bound_dtype(b, v);
    if (tg_bound_is_off(b, v) || !tg_is_float(dtype) || dtype == TG_DT_f64)
        return rounded_up(b, d, tg_bound_size(b, v));
    return tg_bound_1(b, TG_OP_abs, tg_bound_convert(b, v, d->dtype));
}

/* Returns `bound`, or 0 where the product of exact operands is NaN: it is in any order. */
static tg_value_id unless_nan_dot(tg_bound *b, tg_value_id bound)
{
    const tg_value_id exact = tg_bound_real(b, b->op->out[0]);
    if (tg_bound_dtype(b, b->op->out[0]) == TG_DT_f64) return bound;
    return unless(b, tg_bound_2(b, TG_OP_ne, exact, exact), bound);
}

/* Returns |v| + e(v). */
static tg_value_id most_in(tg_bound *b, const dot_parts *d, tg_value_id v)
{
    if (!tg_bound_is_off(b, v)) return size_in(b, d, v);
    return rounded_up(b, d, tg_bound_add(b, tg_bound_size(b, v), tg_bound_of(b, v)));
}

/* Returns e(v) + share (|v| + e(v)). */
static tg_value_id part_in(tg_bound *b, const dot_parts *d, tg_value_id v)
{
    const tg_value_id e = tg_bound_of(b, v), most = tg_bound_add(b, tg_bound_size(b, v), e);
    return rounded_up(b, d, tg_bound_add(b, e, tg_bound_scaled(b, most, d->share)));
}

/* Returns the sum of |x| e(y) + e(x) |y| + e(x) e(y) + share (|x| + e(x)) (|y| + e(y)), in the
 * dtype of the parts; of exact operands, without the factor `share`. */
static tg_value_id of_terms(tg_bound *b, const dot_parts *d)
{
    const tg_value_id x = b->op->in[0], y = b->op->in[1];
    if (!tg_bound_is_off(b, x) && !tg_bound_is_off(b, y))
        return tg_bound_dot(b, size_in(b, d, x), size_in(b, d, y));
    if (!tg_bound_is_off(b, x)) return tg_bound_dot(b, size_in(b, d, x), part_in(b, d, y));
    const tg_value_id most = tg_bound_dot(b, part_in(b, d, x), most_in(b, d, y));
    if (!tg_bound_is_off(b, y)) return most;
    const tg_value_id rest = tg_bound_dot(b, size_in(b, d, x), rounded_up(b, d, tg_bound_of(b, y)));
    return tg_bound_2(b, TG_OP_add, most, rest);
}

/* Returns whether all elements of an operand are exact and multiples of a step: a scalar. */
static tg_value_id all_are_exact_multiples(tg_bound *b, tg_value_id v, int bits)
{
    const tg_value_id multiples = are_multiples(b, tg_bound_real(b, v), bits);
    return tg_bound_all(b, and_none_is_off(b, multiples, tg_bound_of(b, v)));
}

/* Returns `bound`, or 0 where the product of exact operands is exact; `sizes`: the share of the sum
 * of their sizes. */
static tg_value_id unless_exact_dot(tg_bound *b, const dot_parts *d, const tg_bound_adding *a,
                                    tg_value_id sizes, tg_value_id bound)
{
    const int bits = a->quantum / 2;
    const tg_value_id small = tg_bound_compare(b, TG_OP_le, sizes, d->share * ldexp(1, a->most)),
                      exact_if_small = unless(b, small, bound);
    return tg_bound_select(b,
                           both(b, all_are_exact_multiples(b, b->op->in[0], bits),
                                all_are_exact_multiples(b, b->op->in[1], bits)),
                           bound, exact_if_small);
}

/* Terms are added in any order, in f32 or f64 or as the contract has it; products are exact or
 * rounded. */
static tg_value_id dot_of(tg_bound *b, double terms)
{
    const tg_value_id x = b->op->in[0], y = b->op->in[1];
    const tg_dtype dtype = tg_bound_dtype(b, b->op->out[0]),
                   in = dtype == TG_DT_f64 ? TG_DT_f64 : TG_DT_f32;
    const tg_bound_adding a = tg_bound_adding_of(b, true, terms, 0);
    const double chain = tg_bound_of_chain(a.roundings, a.unit),
                 own = tg_bound_of_chain(terms, tg_bound_half_unit(in));
    const double least = fmin(chain, a.random);
    const dot_parts d = {in, TG_BOUND_SLACK * (isinf(chain) ? NO_SHARE : least) + terms * 0x1p-50};
    const bool is_off = tg_bound_is_off(b, x) || tg_bound_is_off(b, y),
               may_be_zero = tg_bound_may_be_zero(b, tg_bound_of(b, x)) &&
                             tg_bound_may_be_zero(b, tg_bound_of(b, y));
    /* Its own roundings: at most those of a chain of as many terms. */
    tg_value_id bound = tg_bound_convert(b, of_terms(b, &d), TG_DT_f64);
    const double share = is_off ? 1 : d.share;
    /* Products and partial sums that are flushed. */
    const double flushed = tg_contract_flushes(b->contract, in) ? 2 * tg_bound_least_normal(in) : 0;
    const tg_value_id sizes =
        tg_bound_plus_number(b, tg_bound_scaled(b, bound, share * (1 + 2 * own)),
                             terms * (0x1p-147 + flushed + a.least));
    if (!may_be_zero) tg_bound_note(b, sizes, TG_FACT_POSITIVE);
    const double greatest = fmin(a.greatest, tg_bound_greatest(in)),
                 most = isinf(chain) ? -1 : 0.5 * d.share * greatest;
    bound = tg_bound_only_if(b, tg_bound_compare(b, TG_OP_le, sizes, most), sizes);
    if (may_be_zero && a.most >= 0) bound = unless_exact_dot(b, &d, &a, sizes, bound);
    if (!is_off) bound = unless_nan_dot(b, bound);
    return a.is_wider ? rounded(b, bound, TG_BOUND_BASIC) : bound;
}

static tg_value_id dot(tg_bound *b, double terms)
{
    tg_value_id kept[2];
    tg_bound_round_operands(b, kept);
    const tg_value_id bound = dot_of(b, terms);
    tg_bound_restore_operands(b, kept);
    return bound;
}

const tg_bound_model tg_contract_model = {
    .adds_error = adds_error, .rounded = rounded, .sum = sum, .sum_of = sum_of, .dot = dot};
