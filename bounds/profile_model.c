/* Profile fast against profile reference: what fast approximates, and the roundings of both. */
#include "bounds/profile_model.h"

#include <math.h>

#include "bounds/emit.h"

enum { ELEMENTARY = 2 }; /* half units: functions are accurate to one unit */

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

static bool is_approximate(const tg_bound *b, const tg_op *op)
{
    if (op->out_count != 1) return false;
    const approximation *how = &approximations[op->code];
    const tg_dtype dtype = tg_bound_dtype(b, op->out[0]);
    if (op->code == TG_OP_dot_general) {
        const tg_dtype left = tg_bound_dtype(b, op->in[0]);
        const bool is_narrow = left == TG_DT_f16 || left == TG_DT_bf16;
        return left == tg_bound_dtype(b, op->in[1]) &&
               (is_narrow || (left == TG_DT_f32 && tg_op_int(op, TG_ATTR_precision, 0) == 0));
    }
    return how->is_there && (dtype == TG_DT_f16 || dtype == TG_DT_bf16 ||
                             (dtype == TG_DT_f32 && !how->is_narrow_only));
}

/* Returns `passed` plus the roundings of both results, each of `units` half units: that of the
 * reference's result, and that of profile fast's result, which is at most `passed` away. */
static tg_value_id both_rounded(tg_bound *b, tg_value_id passed, double units)
{
    const tg_value_id result = b->op->out[0];
    const tg_dtype dtype = tg_bound_dtype(b, result);
    const tg_value_id size = tg_bound_add(b, tg_bound_size(b, result), passed),
                      rounding = tg_bound_scaled(
                          b, size, 2 * units * TG_BOUND_SLACK * tg_bound_half_unit(dtype));
    return tg_bound_add(b, tg_bound_add(b, passed, rounding),
                        tg_bound_number(b, passed, 4 * units * tg_bound_half_least(dtype)));
}

/* Returns (relative + by_operand |x|) |y| + absolute, for x and y of profile fast; then adds the
 * rounding of both. */
static tg_value_id approximated(tg_bound *b, tg_value_id passed)
{
    const approximation *how = &approximations[b->op->code];
    const tg_value_id x = b->op->in[0], y = b->op->out[0],
                      size = tg_bound_scaled(b, tg_bound_add(b, tg_bound_size(b, y), passed),
                                             TG_BOUND_SLACK);
    tg_value_id factor = tg_bound_number(b, passed, how->relative);
    if (how->by_operand > 0) {
        const tg_value_id operand = tg_bound_add(b, tg_bound_size(b, x), tg_bound_of(b, x));
        factor = tg_bound_add(b, factor, tg_bound_scaled(b, operand, how->by_operand));
    }
    const double least = how->absolute + 4 * tg_bound_half_least(tg_bound_dtype(b, y));
    const tg_value_id off =
        tg_bound_add(b, tg_bound_times(b, factor, size), tg_bound_number(b, passed, 2 * least));
    return both_rounded(b, tg_bound_add(b, passed, off), ELEMENTARY);
}

/* Where `passed` is 0, both profiles do the same. */
static tg_value_id rounded(tg_bound *b, tg_value_id from_operands, tg_bound_rounding how)
{
    const tg_value_id passed = tg_bound_solid(b, from_operands, b->op->out[0]);
    if (is_approximate(b, b->op)) return approximated(b, passed);
    const double units = how == TG_BOUND_BASIC   ? 1
                         : how == TG_BOUND_POWER ? 2 * (double)tg_op_int(b->op, TG_ATTR_exponent, 1)
                                                 : ELEMENTARY;
    return tg_bound_where_zero(b, passed, both_rounded(b, passed, units));
}

/* Both sums are the same tree. */
static tg_value_id sum(tg_bound *b, tg_value_id passed, tg_value_id sizes, double count, int levels)
{
    (void)count;
    const double unit = tg_bound_half_unit(tg_bound_dtype(b, b->op->in[0])),
                 share = 2 * TG_BOUND_SLACK * tg_bound_of_chain(levels, unit);
    const tg_value_id factor = tg_bound_number(b, passed, share),
                      rounding = tg_bound_times(b, factor, tg_bound_add(b, sizes, passed));
    return tg_bound_where_zero(b, passed, tg_bound_add(b, passed, rounding));
}

/* Adds 2^-11 of the value if matrix units convert it from f32 to tf32. */
static tg_value_id operand_bound(tg_bound *b, tg_value_id v, tg_value_id size, bool is_tf32)
{
    const tg_value_id e = tg_bound_solid(b, tg_bound_of(b, v), v);
    if (!is_tf32) return e;
    const tg_value_id off = tg_bound_scaled(b, tg_bound_add(b, size, e), 0x1p-11);
    return tg_bound_add(b, tg_bound_add(b, e, off), tg_bound_number(b, e, 0x1p-137));
}

/* The exact product of profile fast's operands; then the rounding of its additions, of two units
 * each, and of the reference's chain (docs/gpu.md). */
static tg_value_id dot(tg_bound *b, double terms)
{
    const tg_op *op = b->op;
    const tg_value_id out = op->out[0], x = op->in[0], y = op->in[1];
    const bool is_other = is_approximate(b, op),
               is_tf32 = is_other && tg_bound_dtype(b, x) == TG_DT_f32;
    const tg_dtype dtype = tg_bound_dtype(b, out);
    const double unit = tg_bound_half_unit(dtype == TG_DT_f64 ? TG_DT_f64 : TG_DT_f32),
                 chain = tg_bound_of_chain(terms, unit),
                 other = is_other ? tg_bound_of_chain(terms + 1, 2 * unit) : chain;
    const tg_value_id size_x = tg_bound_size(b, x), size_y = tg_bound_size(b, y),
                      ex = operand_bound(b, x, size_x, is_tf32),
                      ey = operand_bound(b, y, size_y, is_tf32),
                      most =
                          tg_bound_dot(b, tg_bound_add(b, size_x, ex), tg_bound_add(b, size_y, ey)),
                      passed = tg_bound_2(b, TG_OP_sub, most, tg_bound_dot(b, size_x, size_y)),
                      roundings = tg_bound_scaled(
                          b, most, TG_BOUND_SLACK * (chain + other) + terms * 0x1p-50),
                      total = tg_bound_add(b, tg_bound_add(b, passed, roundings),
                                           tg_bound_number(b, most, terms * 0x1p-125));
    return dtype == TG_DT_f16 || dtype == TG_DT_bf16 ? both_rounded(b, total, 1) : total;
}

const tg_bound_model tg_profile_model = {
    .adds_error = is_approximate, .rounded = rounded, .sum = sum, .dot = dot};
