/* What each operation passes on and adds.  Below, e(v) is the companion of v.  Results are of
 * `dtype`; u is its half unit, relative to the number, and its smallest number is twice `least`. */
#include "bounds/rules.h"

#include <math.h>

#include "bounds/emit.h"

/* `slack` covers terms of second order; `f64_noise` covers the errors of the f64 arithmetic in this
 * file. */
static const double slack = 1.0 + 0x1p-7, f64_noise = 0x1p-44;

typedef struct approximation {
    bool is_there, is_narrow_only;
    double relative, by_operand, absolute;
} approximation;

static const approximation approximations[TG_OP_COUNT] = {
#define ALL false
#define NARROW true
#define TG_PTX_FAST(id, on, r, x, a, rows) [TG_OP_##id] = {true, on, r, x, a},
#include "gpu_backend/elementwise/fast.def"
#undef ALL
#undef NARROW
};

static double half_unit(tg_dtype dtype) { return ldexp(1, -tg_dtypes[dtype].man_bits - 1); }

static double half_least(tg_dtype dtype)
{
    return ldexp(1, -tg_dtypes[dtype].bias - tg_dtypes[dtype].man_bits);
}

static tg_dtype dtype_of(const tg_bound *b, tg_value_id v) { return b->from->values[v].type.dtype; }

static tg_value_id add(tg_bound *b, tg_value_id x, tg_value_id y)
{
    return tg_build_2(b->to, TG_OP_add, x, y);
}

static tg_value_id size_of(tg_bound *b, tg_value_id v)
{
    return tg_build_1(b->to, TG_OP_abs, tg_bound_real(b, v));
}

/* Returns size * error; 0 where the error is 0, even if the size is infinite. */
static tg_value_id times(tg_bound *b, tg_value_id size, tg_value_id error)
{
    return tg_bound_where_zero(b, error, tg_build_2(b->to, TG_OP_mul, size, error));
}

/* ---- rounding ---- */

/* Returns `passed` plus the roundings of both results, each of `units` half units: that of the
 * reference's result, and that of profile fast's result, which is at most `passed` away. */
static tg_value_id both_rounded(tg_bound *b, tg_value_id result, tg_value_id passed, double units)
{
    const tg_dtype dtype = dtype_of(b, result);
    const tg_value_id size = add(b, size_of(b, result), passed),
                      rounding = tg_bound_scaled(b, size, 2 * units * slack * half_unit(dtype));
    return add(b, add(b, passed, rounding),
               tg_bound_number(b, passed, 4 * units * half_least(dtype)));
}

/* Both profiles do the same: 0 where `passed` is 0. */
static tg_value_id rounded(tg_bound *b, tg_value_id passed, double units)
{
    return tg_bound_where_zero(b, passed, both_rounded(b, b->op->out[0], passed, units));
}

/* ---- what operands pass on ---- */

/* Returns whether an element is infinite in both profiles. */
static tg_value_id is_surely_infinite(tg_bound *b, tg_value_id v)
{
    const tg_value_id e = tg_bound_of(b, v), size = size_of(b, v),
                      is_infinite = tg_build_2(b->to, TG_OP_eq, size,
                                               tg_bound_number(b, size, (double)INFINITY)),
                      is_same = tg_build_2(b->to, TG_OP_eq, e, tg_bound_number(b, e, 0));
    return tg_build_2(b->to, TG_OP_and, is_infinite, is_same);
}

/* Returns e(x) + e(y); 0 where one is infinite in both profiles and the bound of the other is
 * finite. */
static tg_value_id of_sum(tg_bound *b, tg_value_id x, tg_value_id y)
{
    const tg_value_id sum = add(b, tg_bound_of(b, x), tg_bound_of(b, y)),
                      either = tg_build_2(b->to, TG_OP_or, is_surely_infinite(b, x),
                                          is_surely_infinite(b, y));
    return tg_build_select(b->to, either, sum, tg_bound_scaled(b, sum, 0));
}

static tg_value_id of_product(tg_bound *b, tg_value_id x, tg_value_id y)
{
    const tg_value_id ex = tg_bound_of(b, x), ey = tg_bound_of(b, y);
    return add(b, add(b, times(b, size_of(b, x), ey), times(b, size_of(b, y), ex)),
               times(b, ex, ey));
}

/* Returns (e(x) + |x / y| e(y)) / (|y| - e(y)); infinite where y may be 0. */
static tg_value_id of_quotient(tg_bound *b, tg_value_id x, tg_value_id y)
{
    const tg_value_id ex = tg_bound_of(b, x), ey = tg_bound_of(b, y),
                      quotient = tg_build_2(b->to, TG_OP_div, size_of(b, x), size_of(b, y)),
                      sum = add(b, ex, times(b, quotient, ey)), zero = tg_bound_number(b, ex, 0),
                      gap = tg_build_2(b->to, TG_OP_max,
                                       tg_build_2(b->to, TG_OP_sub, size_of(b, y), ey), zero),
                      passed = tg_build_2(b->to, TG_OP_div, sum, gap);
    return tg_bound_where_zero(b, sum, passed);
}

/* For a monotone function: how much its value changes towards either end of the interval that
 * contains the operand. */
static tg_value_id of_monotone(tg_bound *b, tg_opcode code, tg_value_id x)
{
    const tg_value_id e = tg_bound_of(b, x), at = tg_bound_real(b, x),
                      y = tg_build_1(b->to, code, at);
    tg_value_id far = tg_bound_scaled(b, tg_build_1(b->to, TG_OP_abs, y), f64_noise);
    for (int side = 0; side < 2; side++) {
        tg_value_id end = tg_build_2(b->to, side ? TG_OP_add : TG_OP_sub, at, e);
        if (code == TG_OP_sqrt || code == TG_OP_rsqrt)
            end = tg_build_2(b->to, TG_OP_max, end, tg_bound_number(b, e, 0));
        const tg_value_id gap = tg_build_2(b->to, TG_OP_sub, tg_build_1(b->to, code, end), y);
        far = add(b, far, tg_build_1(b->to, TG_OP_abs, gap));
    }
    return tg_bound_where_zero(b, e, far);
}

static tg_value_id of_power(tg_bound *b, tg_value_id x)
{
    const tg_value_id e = tg_bound_of(b, x), size = size_of(b, x), most = add(b, size, e);
    if (tg_op_int(b->op, TG_ATTR_exponent, 0) < 1)
        tg_bound_refuse(b, "the exponent is not positive");
    const tg_value_id high = tg_bound_again(b, TG_OP_integer_pow, &most, 1),
                      low = tg_bound_again(b, TG_OP_integer_pow, &size, 1),
                      noise = tg_bound_scaled(b, high, f64_noise);
    return tg_bound_where_zero(b, e, add(b, tg_build_2(b->to, TG_OP_sub, high, low), noise));
}

/* ---- element-wise ---- */

enum { ELEMENTARY = 2 }; /* half units: functions are accurate to one unit */

bool tg_bound_is_approximate(const tg_bound *b, const tg_op *op)
{
    if (op->out_count != 1) return false;
    const approximation *how = &approximations[op->code];
    const tg_dtype dtype = dtype_of(b, op->out[0]);
    if (op->code == TG_OP_dot_general) {
        const tg_dtype left = dtype_of(b, op->in[0]);
        const bool is_narrow = left == TG_DT_f16 || left == TG_DT_bf16;
        return left == dtype_of(b, op->in[1]) &&
               (is_narrow || (left == TG_DT_f32 && tg_op_int(op, TG_ATTR_precision, 0) == 0));
    }
    return how->is_there && (dtype == TG_DT_f16 || dtype == TG_DT_bf16 ||
                             (dtype == TG_DT_f32 && !how->is_narrow_only));
}

/* Returns (relative + by_operand |x|) |y| + absolute, for x and y of profile fast; then adds the
 * rounding of both. */
static tg_value_id approximated(tg_bound *b, tg_value_id passed)
{
    const approximation *how = &approximations[b->op->code];
    const tg_value_id x = b->op->in[0], y = b->op->out[0],
                      size = tg_bound_scaled(b, add(b, size_of(b, y), passed), slack);
    tg_value_id factor = tg_bound_number(b, passed, how->relative);
    if (how->by_operand > 0) {
        const tg_value_id operand = add(b, size_of(b, x), tg_bound_of(b, x));
        factor = add(b, factor, tg_bound_scaled(b, operand, how->by_operand));
    }
    const double least = how->absolute + 4 * half_least(dtype_of(b, y));
    const tg_value_id off = add(b, times(b, factor, size), tg_bound_number(b, passed, 2 * least));
    return both_rounded(b, y, add(b, passed, off), ELEMENTARY);
}

static tg_value_id passed_on(tg_bound *b, const tg_op *op)
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
    default: return of_monotone(b, op->code, x);
    }
}

static void compute_lanes(tg_bound *b, double units)
{
    const tg_op *op = b->op;
    const tg_value_id passed = passed_on(b, op);
    b->companion[op->out[0]] =
        tg_bound_is_approximate(b, op) ? approximated(b, passed) : rounded(b, passed, units);
}

static void compute_extreme(tg_bound *b)
{
    const tg_op *op = b->op;
    b->companion[op->out[0]] =
        tg_build_2(b->to, TG_OP_max, tg_bound_of(b, op->in[0]), tg_bound_of(b, op->in[1]));
}

/* Both profiles have the same limits, so clamped results are no farther apart than operands. */
static void compute_clamp(tg_bound *b)
{
    const tg_op *op = b->op;
    if (b->companion[op->in[0]] != TG_NO_BOUND || b->companion[op->in[2]] != TG_NO_BOUND)
        tg_bound_refuse(b, "its limits may be off");
    b->companion[op->out[0]] = tg_bound_of(b, op->in[1]);
}

static void compute_convert(tg_bound *b)
{
    const tg_value_id to = b->op->out[0], from = b->op->in[0];
    const tg_dtype_info *wide = &tg_dtypes[dtype_of(b, to)],
                        *narrow = &tg_dtypes[dtype_of(b, from)];
    const bool holds_all = wide->man_bits >= narrow->man_bits && wide->exp_bits >= narrow->exp_bits;
    const tg_value_id passed = tg_bound_of(b, from);
    if (!tg_bound_is_real(dtype_of(b, to)))
        tg_bound_refuse(b, "to another dtype than f16, bf16, f32 and f64, of what may be off");
    else
        b->companion[to] = holds_all ? passed : rounded(b, passed, 1);
}

/* ---- comparisons ---- */

static tg_value_id all_of(tg_bound *b, tg_value_id flags)
{
    static const int64_t axes[TG_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const tg_type scalar = {.dtype = TG_DT_bool};
    const int rank = tg_build_type(b->to, flags).rank;
    if (rank == 0) return flags;
    tg_build_in(b->to, flags);
    tg_build_ints(b->to, TG_ATTR_axes, axes, rank);
    return tg_build_result(b->to, TG_OP_reduce_and, &scalar);
}

/* The kernel checks that the operands are farther apart than their bounds, or that their bounds are
 * 0. */
static void check_comparison(tg_bound *b)
{
    const tg_value_id x = b->op->in[0], y = b->op->in[1],
                      off = add(b, tg_bound_of(b, x), tg_bound_of(b, y)),
                      gap = tg_build_2(b->to, TG_OP_sub, tg_bound_real(b, x), tg_bound_real(b, y)),
                      is_far = tg_build_2(b->to, TG_OP_gt, tg_build_1(b->to, TG_OP_abs, gap), off),
                      is_same = tg_build_2(b->to, TG_OP_eq, off, tg_bound_number(b, off, 0));
    tg_build_in(b->to, all_of(b, tg_build_2(b->to, TG_OP_or, is_far, is_same)));
    tg_build_text(b->to, TG_ATTR_format, "profile fast may compare otherwise");
    tg_build_op(b->to, TG_OP_check);
}

/* ---- sums ---- */

/* Returns the bound of k successive roundings: k u / (1 - k u), relative to the sum of the
 * sizes. */
static double of_chain(double count, double unit)
{
    const double share = count * unit;
    return share < 0.5 ? share / (1 - share) : (double)INFINITY;
}

static tg_value_id reduced(tg_bound *b, tg_opcode code, tg_value_id v)
{
    return tg_bound_again(b, code, &v, 1);
}

/* The sum is a tree: each extent adds a level per halving. */
static void compute_sum(tg_bound *b)
{
    const tg_op *op = b->op;
    const tg_attr *axes = tg_op_attr(op, TG_ATTR_axes);
    const tg_type *type = &b->from->values[op->in[0]].type;
    int levels = 0;
    for (int64_t a = 0; a < axes->count; a++)
        for (int64_t n = type->shape[axes->as.ints[a]]; n > 1; n = (n + 1) / 2) levels++;
    const tg_value_id passed = reduced(b, TG_OP_reduce_sum, tg_bound_of(b, op->in[0])),
                      sizes = reduced(b, TG_OP_reduce_sum, size_of(b, op->in[0])),
                      factor = tg_bound_number(
                          b, passed, 2 * slack * of_chain(levels, half_unit(type->dtype))),
                      rounding = times(b, factor, add(b, sizes, passed));
    b->companion[op->out[0]] = tg_bound_where_zero(b, passed, add(b, passed, rounding));
}

/* ---- products of matrices ---- */

/* A kernel with products of more terms has no bound. */
enum { MOST_TERMS = 1 << 20 };

static tg_value_id dot(tg_bound *b, tg_value_id x, tg_value_id y)
{
    return tg_bound_again(b, TG_OP_dot_general, (tg_value_id[]){x, y}, 2);
}

/* Adds 2^-11 of the value if matrix units convert it from f32 to tf32. */
static tg_value_id operand_bound(tg_bound *b, tg_value_id v, tg_value_id size, bool is_tf32)
{
    const tg_value_id e = tg_bound_of(b, v);
    if (!is_tf32) return e;
    const tg_value_id off = tg_bound_scaled(b, add(b, size, e), 0x1p-11);
    return add(b, add(b, e, off), tg_bound_number(b, e, 0x1p-137));
}

/* The exact product of profile fast's operands; then the rounding of its additions, of two units
 * each, and of the reference's chain (docs/gpu.md). */
static void compute_dot(tg_bound *b)
{
    const tg_op *op = b->op;
    const tg_value_id out = op->out[0], x = op->in[0], y = op->in[1];
    const tg_attr *contracted = tg_op_attr(op, TG_ATTR_lhs_contract);
    double terms = 1;
    for (int64_t i = 0; i < contracted->count; i++)
        terms *= (double)b->from->values[x].type.shape[contracted->as.ints[i]];
    if (terms > MOST_TERMS) tg_bound_refuse(b, "it has too many terms");
    const bool is_approximate = tg_bound_is_approximate(b, op),
               is_tf32 = is_approximate && dtype_of(b, x) == TG_DT_f32;
    const double unit = half_unit(dtype_of(b, out) == TG_DT_f64 ? TG_DT_f64 : TG_DT_f32),
                 chain = of_chain(terms, unit),
                 other = is_approximate ? of_chain(terms + 1, 2 * unit) : chain;
    const tg_value_id size_x = size_of(b, x), size_y = size_of(b, y),
                      ex = operand_bound(b, x, size_x, is_tf32),
                      ey = operand_bound(b, y, size_y, is_tf32),
                      most = dot(b, add(b, size_x, ex), add(b, size_y, ey)),
                      passed = tg_build_2(b->to, TG_OP_sub, most, dot(b, size_x, size_y)),
                      roundings =
                          tg_bound_scaled(b, most, slack * (chain + other) + terms * 0x1p-50),
                      total = add(b, add(b, passed, roundings),
                                  tg_bound_number(b, most, terms * 0x1p-125));
    const bool is_narrow = dtype_of(b, out) == TG_DT_f16 || dtype_of(b, out) == TG_DT_bf16;
    b->companion[out] = is_narrow ? both_rounded(b, out, total, 1) : total;
}

/* ---- all ops ---- */

void tg_bound_compute(tg_bound *b)
{
    const tg_op *op = b->op;
    switch (op->code) {
    case TG_OP_neg:
    case TG_OP_abs: b->companion[op->out[0]] = tg_bound_of(b, op->in[0]); break;
    case TG_OP_max:
    case TG_OP_min: compute_extreme(b); break;
    case TG_OP_clamp: compute_clamp(b); break;
    case TG_OP_add:
    case TG_OP_sub:
    case TG_OP_mul:
    case TG_OP_square:
    case TG_OP_div:
    case TG_OP_sqrt: compute_lanes(b, 1); break;
    case TG_OP_integer_pow: compute_lanes(b, 2 * (double)tg_op_int(op, TG_ATTR_exponent, 1)); break;
    case TG_OP_exp:
    case TG_OP_exp2:
    case TG_OP_log:
    case TG_OP_log2:
    case TG_OP_rsqrt:
    case TG_OP_tanh:
    case TG_OP_logistic:
    case TG_OP_sin:
    case TG_OP_cos: compute_lanes(b, ELEMENTARY); break;
    case TG_OP_convert: compute_convert(b); break;
    case TG_OP_eq:
    case TG_OP_ne:
    case TG_OP_lt:
    case TG_OP_le:
    case TG_OP_gt:
    case TG_OP_ge: check_comparison(b); break;
    case TG_OP_reduce_sum: compute_sum(b); break;
    case TG_OP_reduce_max:
    case TG_OP_reduce_min:
        b->companion[op->out[0]] = reduced(b, TG_OP_reduce_max, tg_bound_of(b, op->in[0]));
        break;
    case TG_OP_dot_general: compute_dot(b); break;
    default: tg_bound_refuse(b, "no rule is known for operands that may be off");
    }
}
