#include "bounds/rules.h"

#include <math.h>

#include "bounds/emit.h"
#include "bounds/facts.h"
#include "bounds/flush.h"
#include "bounds/indexed.h"
#include "bounds/inline_text.h"
#include "bounds/model.h"
#include "bounds/models.h"
#include "bounds/nan.h"
#include "bounds/order.h"
#include "bounds/passed.h"
#include "bounds/precision.h"
#include "bounds/rules_impl.h"
#include "bounds/special.h"
#include "bounds/sums.h"
#include "bounds/updates.h"

static const char no_rule[] = "no rule is known for operands that may be off";

/* ---- element-wise ---- */

static void set_bound(tg_bound *b, tg_value_id bound)
{
    b->companion[TG_COMPANION_BOUND][b->op->out[0]] = bound;
}

static void compute_rounded(tg_bound *b, tg_bound_rounding how)
{
    set_bound(b, tg_bound_model_of(b)->rounded(b, tg_bound_passed(b, b->op), how));
}

static void compute_basic(tg_bound *b) { compute_rounded(b, TG_BOUND_BASIC); }

/* x^0 is 1, x^2 is x x. */
static void compute_power(tg_bound *b)
{
    const int64_t exponent = tg_op_int(b->op, TG_ATTR_exponent, 1);
    if (exponent == 0) return;
    compute_rounded(b, b->contract && exponent == 2 ? TG_BOUND_BASIC : TG_BOUND_POWER);
}

static void compute_function(tg_bound *b) { compute_rounded(b, TG_BOUND_ELEMENTARY); }

/* The result is the operand but for its sign. */
static void compute_same(tg_bound *b) { set_bound(b, tg_bound_of(b, b->op->in[0])); }

/* Steps and remainders: their results need no rounding. */
static void compute_step(tg_bound *b) { set_bound(b, tg_bound_passed(b, b->op)); }

/* Returns the op on the ends of its operands' intervals, all on one side: `side` is add or sub. */
static tg_value_id extreme_of_ends(tg_bound *b, tg_opcode side)
{
    const tg_op *op = b->op;
    tg_value_id in[2];
    for (uint32_t i = 0; i < op->in_count; i++) {
        const tg_value_id e = tg_bound_of(b, op->in[i]);
        in[i] = tg_bound_real(b, op->in[i]);
        if (e != TG_NO_BOUND) in[i] = tg_bound_2(b, side, in[i], e);
    }
    return tg_bound_again(b, op->code, in, (int)op->in_count);
}

/* An operand that cannot be the extreme, as one behind a mask of -1e38, must not widen the bound:
 * the result moves as far as the extreme of the ends does, and no farther than the operand with the
 * widest bound.  NaN counts as farther. */
static void set_extreme(tg_bound *b, tg_value_id widest)
{
    const tg_value_id z = tg_bound_real(b, b->op->out[0]),
                      up = tg_bound_2(b, TG_OP_sub, extreme_of_ends(b, TG_OP_add), z),
                      down = tg_bound_2(b, TG_OP_sub, z, extreme_of_ends(b, TG_OP_sub)),
                      move = tg_bound_scaled(b, tg_bound_2(b, TG_OP_max, up, down), 1 + 0x1p-50),
                      noise = tg_bound_scaled(b, tg_bound_1(b, TG_OP_abs, z), 0x1p-51),
                      far = tg_bound_add(b, move, noise),
                      is_nearer = tg_bound_2(b, TG_OP_lt, far, widest);
    set_bound(b, tg_bound_select(b, is_nearer, widest, far));
}

static void compute_extreme(tg_bound *b)
{
    const tg_op *op = b->op;
    const tg_value_id x = op->in[0], y = op->in[1];
    set_extreme(b, tg_bound_larger(b, tg_bound_of(b, x), tg_bound_of(b, y)));
    set_bound(b, tg_bound_unless_nan(b, x, y, tg_bound_of(b, op->out[0])));
}

/* Clamped results are no farther apart than the farthest of number and limits. */
static void compute_clamp(tg_bound *b)
{
    const tg_op *op = b->op;
    tg_value_id bound = TG_NO_BOUND;
    for (int i = 0; i < 3; i++) {
        const tg_value_id e = tg_bound_of(b, op->in[i]);
        if (e == TG_NO_BOUND) continue;
        bound = tg_bound_larger(b, bound, tg_bound_spread(b, e, op->out[0]));
    }
    set_bound(b, bound);
}

/* In exact arithmetic the operand itself, whose next number is at most a unit away. */
static void compute_next(tg_bound *b)
{
    const tg_op *op = b->op;
    const tg_dtype dtype = tg_bound_dtype(b, op->out[0]);
    const tg_value_id x = op->in[0], size = tg_bound_add(b, tg_bound_size(b, x), tg_bound_of(b, x)),
                      unit =
                          tg_bound_scaled(b, size, 2 * TG_BOUND_SLACK * tg_bound_half_unit(dtype)),
                      step = tg_bound_plus_number(b, unit, 2 * tg_bound_half_least(dtype));
    b->companion[TG_COMPANION_EXACT][op->out[0]] = tg_bound_real(b, x);
    set_bound(b, tg_bound_only_if(b, tg_bound_compare(b, TG_OP_lt, step, (double)INFINITY),
                                  tg_bound_add(b, tg_bound_of(b, x), step)));
}

static void compute_convert(tg_bound *b)
{
    const tg_value_id to = b->op->out[0], from = b->op->in[0];
    if (!tg_is_float(tg_bound_dtype(b, from))) {
        tg_bound_settle(b, from);
        if (!tg_bound_is_real(b, tg_bound_dtype(b, to))) return;
    }
    const tg_value_id passed = tg_bound_of(b, from);
    if (tg_op_attr(b->op, TG_ATTR_rounding) || tg_op_attr(b->op, TG_ATTR_saturate))
        tg_bound_refuse(b, "rounded toward zero, or saturated");
    else if (b->contract && !tg_is_float(tg_bound_dtype(b, to)))
        tg_bound_rule_to_int(b);
    else if (!tg_bound_is_real(b, tg_bound_dtype(b, to)))
        tg_bound_refuse(b, "to another dtype than f16, bf16, f32 and f64, of what may be off");
    else if (tg_bound_keeps_all(b, b->op))
        set_bound(b, passed);
    else
        set_bound(b, tg_bound_model_of(b)->rounded(b, passed, TG_BOUND_BASIC));
}

/* Bits have no bounds: the operand must be exact. */
static void compute_bitcast(tg_bound *b)
{
    const tg_op *op = b->op;
    const tg_value_id e = tg_bound_of(b, op->in[0]);
    for (int c = 0; c < b->companions; c++) tg_bound_set(b, (tg_companion)c, TG_NO_BOUND);
    if (!tg_bound_may_be_zero(b, e))
        tg_bound_refuse(b, "its bits depend on an operand that may be off");
    else
        tg_bound_demand(b, tg_bound_compare(b, TG_OP_eq, e, 0),
                        "an operand whose bits count may be off");
}

/* ---- comparisons ---- */

/* Without a contract, the kernel checks that the operands are farther apart than their bounds, or
 * that their bounds are 0. */
static void compute_comparison(tg_bound *b)
{
    const tg_value_id x = b->op->in[0], y = b->op->in[1],
                      off = tg_bound_add(b, tg_bound_of(b, x), tg_bound_of(b, y)),
                      gap = tg_bound_2(b, TG_OP_sub, tg_bound_real(b, x), tg_bound_real(b, y)),
                      is_far = tg_bound_2(b, TG_OP_gt, tg_bound_1(b, TG_OP_abs, gap), off);
    tg_value_id is_sure = is_far;
    if (tg_bound_may_be_zero(b, off))
        is_sure = tg_bound_2(b, TG_OP_or, is_far, tg_bound_compare(b, TG_OP_eq, off, 0));
    set_bound(b, tg_bound_1(b, TG_OP_not, is_sure));
    if (!b->contract) tg_bound_settle(b, b->op->out[0]);
}

/* Of bools: each that depends on one that may be otherwise. */
static void compute_logic(tg_bound *b)
{
    const tg_op *op = b->op;
    if (tg_bound_dtype(b, op->out[0]) != TG_DT_bool) tg_bound_refuse(b, no_rule);
    const tg_value_id first = tg_bound_of(b, op->in[0]),
                      second = op->in_count == 2 ? tg_bound_of(b, op->in[1]) : TG_NO_BOUND;
    if (first == TG_NO_BOUND || second == TG_NO_BOUND)
        set_bound(b, first == TG_NO_BOUND ? second : first);
    else
        set_bound(b, tg_bound_2(b, TG_OP_or, first, second));
}

/* Where it is not sure which of two cases comes, the bound reaches from the one that came to the
 * end of the other. */
static void compute_select(tg_bound *b)
{
    const tg_op *op = b->op;
    const tg_value_id which = op->in[0], first = op->in[1], second = op->in[2];
    if (op->in_count != 3 || !tg_bound_is_real(b, tg_bound_dtype(b, op->out[0]))) {
        tg_bound_refuse(b, no_rule);
        return;
    }
    const tg_value_id e1 = tg_bound_solid(b, tg_bound_of(b, first), first),
                      e2 = tg_bound_solid(b, tg_bound_of(b, second), second),
                      gap = tg_bound_1(b, TG_OP_abs,
                                       tg_bound_2(b, TG_OP_sub, tg_bound_real(b, first),
                                                  tg_bound_real(b, second))),
                      own = tg_bound_select(b, which, e1, e2),
                      other = tg_bound_select(b, which, e2, e1),
                      reach = tg_bound_2(b, TG_OP_max, own, tg_bound_add(b, gap, other));
    set_bound(b, tg_bound_select(b, tg_bound_of(b, which), own, reach));
}

/* ---- reductions ---- */

static void compute_extreme_along(tg_bound *b)
{
    const bool is_running = b->op->code == TG_OP_cummax || b->op->code == TG_OP_cummin;
    const tg_value_id e = tg_bound_of(b, b->op->in[0]);
    set_extreme(b, tg_bound_again(b, is_running ? TG_OP_cummax : TG_OP_reduce_max, &e, 1));
    set_bound(b, tg_bound_unless_any_nan(b, tg_bound_of(b, b->op->out[0])));
}

static void compute_dot(tg_bound *b)
{
    const tg_op *op = b->op;
    const tg_attr *contracted = tg_op_attr(op, TG_ATTR_lhs_contract);
    double terms = 1;
    for (int64_t i = 0; i < contracted->count; i++)
        terms *= (double)b->from->values[op->in[0]].type.shape[contracted->as.ints[i]];
    if (terms > TG_BOUND_MOST_TERMS) tg_bound_refuse(b, "it has too many terms");
    set_bound(b, tg_bound_model_of(b)->dot(b, terms));
}

/* ---- memory ---- */

/* Returns whether the op loads from exact memory, and what it takes where the mask is off may be
 * off. */
static bool loads_other(const tg_bound *b, const tg_op *op)
{
    if (op->code != TG_OP_load || tg_bound_is_off(b, op->in[0])) return false;
    const int64_t other = tg_op_access(op).other;
    return other >= 0 && tg_bound_is_off(b, op->in[other]);
}

static void compute_load(tg_bound *b)
{
    const tg_op *op = b->op;
    const tg_access access = tg_op_access(op);
    const tg_value_id mask = op->in[access.mask], other = op->in[access.other], out = op->out[0];
    tg_bound_settle(b, mask);
    for (int c = 0; c < b->companions; c++) {
        const tg_value_id elsewhere = tg_bound_spread(
                              b, tg_bound_companion(b, (tg_companion)c, other), out),
                          loaded = c == TG_COMPANION_BOUND ? tg_bound_number(b, out, 0)
                                                           : tg_bound_convert(b, out, TG_DT_f64);
        b->companion[c][out] = tg_bound_select(b, tg_bound_spread(b, mask, out), elsewhere, loaded);
    }
}

/* ---- all ops ---- */

/* Ops without a rule: of bools, once they are sure, everything is exact. */
static void compute_other(tg_bound *b)
{
    const tg_op *op = b->op;
    if (tg_bound_adds_error(b, op)) tg_bound_refuse(b, "no rule is known for its error");
    for (uint32_t i = 0; i < op->in_count; i++) tg_bound_settle(b, op->in[i]);
    for (uint32_t i = 0; i < op->out_count; i++)
        for (int c = 0; c < TG_COMPANION_COUNT; c++) b->companion[c][op->out[i]] = TG_NO_BOUND;
}

static void compute_text(tg_bound *b)
{
    if (tg_bound_is_off_text(b, b->op)) tg_bound_refuse_text(b);
    compute_other(b);
}

/* One beside the program, of floats: what it adds to is memory that no rule follows. */
static bool is_started_product(const tg_bound *b, const tg_op *op)
{
    return op->code == TG_OP_dot_start && tg_is_float(tg_bound_dtype(b, op->in[0]));
}

bool tg_bound_adds_error(tg_bound *b, const tg_op *op)
{
    return is_started_product(b, op) || tg_bound_opens_nan(b, op) || tg_bound_is_update(b, op) ||
           tg_bound_is_off_text(b, op) || tg_bound_model_of(b)->adds_error(b, op);
}

/* Not only for a NaN. */
static bool is_inexact(tg_bound *b)
{
    bool is_off = tg_bound_is_update(b, b->op) || tg_bound_is_off_text(b, b->op) ||
                  tg_bound_model_of(b)->adds_error(b, b->op);
    for (uint32_t i = 0; i < b->op->in_count; i++) is_off |= tg_bound_is_off(b, b->op->in[i]);
    return is_off;
}

bool tg_bound_has_rule(const tg_bound *b, const tg_op *op)
{
    return (op->code == TG_OP_select && tg_bound_is_off(b, op->in[0])) || loads_other(b, op);
}

/* Returns the current op's result in exact arithmetic: the op again, on what its operands are
 * there. */
static tg_value_id exact_result(tg_bound *b)
{
    const tg_op *op = b->op;
    tg_value_id in[TG_MAX_OPERANDS];
    if (op->code == TG_OP_convert)
        return tg_bound_convert(b, tg_bound_real(b, op->in[0]), TG_DT_f64);
    for (uint32_t i = 0; i < op->in_count; i++)
        in[i] = tg_is_float(tg_bound_dtype(b, op->in[i])) ? tg_bound_real(b, op->in[i]) : op->in[i];
    return tg_bound_again(b, op->code, in, (int)op->in_count);
}

typedef void rule(tg_bound *b);

/* Returns whether a rule computes both companions itself, or none. */
static bool has_own_exact(const tg_op *op)
{
    switch (op->code) {
    case TG_OP_load:
    case TG_OP_gather:
    case TG_OP_bitcast:
    case TG_OP_nextafter:
    case TG_OP_reduce_precision:
    case TG_OP_inline_ptx:
    case TG_OP_atomic_rmw: return true;
    case TG_OP_sort: return op->in_count > 1;
    default: return false;
    }
}

static rule *const rules[TG_OP_COUNT] = {
    [TG_OP_neg] = compute_same,
    [TG_OP_abs] = compute_same,
    [TG_OP_max] = compute_extreme,
    [TG_OP_min] = compute_extreme,
    [TG_OP_clamp] = compute_clamp,
    [TG_OP_add] = compute_basic,
    [TG_OP_sub] = compute_basic,
    [TG_OP_mul] = compute_basic,
    [TG_OP_square] = compute_basic,
    [TG_OP_div] = compute_basic,
    [TG_OP_sqrt] = compute_basic,
    [TG_OP_integer_pow] = compute_power,
    [TG_OP_exp] = compute_function,
    [TG_OP_exp2] = compute_function,
    [TG_OP_log] = compute_function,
    [TG_OP_log2] = compute_function,
    [TG_OP_rsqrt] = compute_function,
    [TG_OP_tanh] = compute_function,
    [TG_OP_logistic] = compute_function,
    [TG_OP_sin] = compute_function,
    [TG_OP_cos] = compute_function,
    [TG_OP_convert] = compute_convert,
    [TG_OP_eq] = compute_comparison,
    [TG_OP_ne] = compute_comparison,
    [TG_OP_lt] = compute_comparison,
    [TG_OP_le] = compute_comparison,
    [TG_OP_gt] = compute_comparison,
    [TG_OP_ge] = compute_comparison,
    [TG_OP_and] = compute_logic,
    [TG_OP_or] = compute_logic,
    [TG_OP_xor] = compute_logic,
    [TG_OP_not] = compute_logic,
    [TG_OP_select] = compute_select,
    [TG_OP_load] = compute_load,
    [TG_OP_sign] = compute_step,
    [TG_OP_floor] = compute_step,
    [TG_OP_ceil] = compute_step,
    [TG_OP_round] = compute_step,
    [TG_OP_reduce_sum] = tg_bound_rule_sum,
    [TG_OP_reduce_max] = compute_extreme_along,
    [TG_OP_reduce_min] = compute_extreme_along,
    [TG_OP_dot_general] = compute_dot,
    [TG_OP_inline_ptx] = compute_text,
};

/* Not known of the profiles. */
static rule *const rules_of_contracts[TG_OP_COUNT] = {
    [TG_OP_argmax] = tg_bound_rule_arg,
    [TG_OP_argmin] = tg_bound_rule_arg,
    [TG_OP_sort] = tg_bound_rule_sort,
    [TG_OP_fma] = compute_basic,
    [TG_OP_gather] = tg_bound_rule_gather,
    [TG_OP_scatter] = tg_bound_rule_scatter,
    [TG_OP_bitcast] = compute_bitcast,
    [TG_OP_expm1] = compute_function,
    [TG_OP_log1p] = compute_function,
    [TG_OP_asin] = compute_function,
    [TG_OP_acos] = compute_function,
    [TG_OP_atan] = compute_function,
    [TG_OP_sinh] = compute_function,
    [TG_OP_cosh] = compute_function,
    [TG_OP_asinh] = compute_function,
    [TG_OP_acosh] = compute_function,
    [TG_OP_atanh] = compute_function,
    [TG_OP_erf] = compute_function,
    [TG_OP_erf_inv] = compute_function,
    [TG_OP_cbrt] = compute_function,
    [TG_OP_cumsum] = tg_bound_rule_sum,
    [TG_OP_reduce_prod] = tg_bound_rule_product,
    [TG_OP_cumprod] = tg_bound_rule_product,
    [TG_OP_cummax] = compute_extreme_along,
    [TG_OP_cummin] = compute_extreme_along,
    [TG_OP_pow] = compute_function,
    [TG_OP_atan2] = compute_function,
    [TG_OP_tan] = compute_function,
    [TG_OP_rem] = compute_step,
    [TG_OP_nextafter] = compute_next,
    [TG_OP_reduce_precision] = tg_bound_rule_precision,
    [TG_OP_add_update] = tg_bound_rule_update,
    [TG_OP_atomic_rmw] = tg_bound_rule_update,
    [TG_OP_dma_start] = tg_bound_rule_copy,
    [TG_OP_dma_wait] = tg_bound_rule_copy,
};

static void compute(tg_bound *b)
{
    const tg_op *op = b->op;
    const bool is_real = op->out_count == 1 && tg_bound_is_real(b, tg_bound_dtype(b, op->out[0]));
    if (b->contract && is_real && !has_own_exact(op))
        b->companion[TG_COMPANION_EXACT][op->out[0]] = exact_result(b);
    rule *known = rules[op->code];
    if (!known && b->contract) known = rules_of_contracts[op->code];
    (known ? known : compute_other)(b);
    if (is_real) tg_bound_flush_result(b);
}

void tg_bound_compute(tg_bound *b)
{
    if (is_inexact(b)) compute(b);
    if (tg_bound_opens_nan(b, b->op)) tg_bound_open_nan(b);
}
