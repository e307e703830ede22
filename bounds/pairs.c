/* Functions of two numbers.  Below, e(v) is the bound of v, and z the result. */
#include "bounds/pairs.h"

#include <math.h>

#include "bounds/emit.h"
#include "bounds/facts.h"
#include "bounds/model.h"

static tg_value_id product(tg_bound *b, tg_value_id x, tg_value_id y)
{
    return tg_bound_2(b, TG_OP_mul, x, y);
}

static tg_value_id solid(tg_bound *b, tg_value_id v)
{
    return tg_bound_solid(b, tg_bound_of(b, v), v);
}

static tg_value_id both(tg_bound *b, tg_value_id x, tg_value_id y)
{
    return tg_bound_2(b, TG_OP_and, x, y);
}

/* a^c moves by at most z (exp(t) - 1) <= z (t + t^2), where t <= 1 is how far c log a moves: by
 * |c| d + e(c) (|log a| + d), where log |a| moves by d = e(a) / (|a| - e(a)).  If c moves, a must be
 * positive. */
tg_value_id tg_bound_of_pow(tg_bound *b, tg_value_id x, tg_value_id y)
{
    const bool is_fixed = !tg_bound_is_off(b, y);
    const tg_value_id ex = solid(b, x), size = tg_bound_size(b, x),
                      low = tg_bound_2(b, TG_OP_sub, size, ex),
                      log_moved = tg_bound_2(b, TG_OP_div, ex, low);
    tg_value_id moved = product(b, tg_bound_size(b, y), log_moved),
                is_bounded = tg_bound_compare(b, TG_OP_gt, low, 0);
    if (!is_fixed) {
        const tg_value_id log = tg_bound_1(b, TG_OP_abs, tg_bound_1(b, TG_OP_log, size));
        moved = tg_bound_2(b, TG_OP_add, moved,
                           product(b, tg_bound_of(b, y), tg_bound_2(b, TG_OP_add, log, log_moved)));
        is_bounded = both(b, is_bounded, tg_bound_compare(b, TG_OP_gt, tg_bound_real(b, x), 0));
    }
    /* the rounding of c log a to f64, and of the logarithm */
    moved = tg_bound_scaled(b, moved, 1 + 0x1p-44);
    const tg_value_id grown = product(b, moved, tg_bound_plus_number(b, moved, 1)),
                      passed = product(b, tg_bound_size(b, b->op->out[0]), grown);
    is_bounded = both(b, is_bounded, tg_bound_compare(b, TG_OP_le, moved, 1));
    return tg_bound_only_if(b, is_bounded, passed);
}

/* The angle of a point at a distance of at least r = max(|x|, |y|) moves by at most
 * asin(d / r) <= d / (r - d), where the point moves by d = e(x) + e(y) < r.  Across the negative
 * half of the axis of x, it jumps. */
tg_value_id tg_bound_of_atan2(tg_bound *b, tg_value_id y, tg_value_id x)
{
    const tg_value_id ey = solid(b, y), ex = solid(b, x), moved = tg_bound_2(b, TG_OP_add, ex, ey),
                      away = tg_bound_2(b, TG_OP_max, tg_bound_size(b, x), tg_bound_size(b, y)),
                      rest = tg_bound_2(b, TG_OP_sub, away, moved),
                      passed = tg_bound_2(b, TG_OP_div, moved, rest);
    const double turn = 6.2831853071795872; /* rounded up */
    tg_value_id is_near = tg_bound_compare(b, TG_OP_gt, rest, 0);
    if (tg_bound_is_off(b, y)) {
        const tg_value_id one_side = tg_bound_2(b, TG_OP_gt, tg_bound_size(b, y), ey),
                          right = tg_bound_2(b, TG_OP_gt, tg_bound_real(b, x), ex);
        is_near = both(b, is_near, tg_bound_2(b, TG_OP_or, one_side, right));
    }
    const tg_value_id far = tg_bound_unless_nan(b, tg_bound_number(b, moved, turn), moved);
    return tg_bound_select(b, is_near, far, passed);
}

/* a - c trunc(a / c), exactly: moves by e(a) + |a / c| e(c), if trunc(a / c) is the same wherever
 * the operands are.  Otherwise both results are less than |c| + e(c) away from 0. */
tg_value_id tg_bound_of_rem(tg_bound *b, tg_value_id x, tg_value_id y)
{
    const tg_value_id ex = solid(b, x), ey = solid(b, y), size = tg_bound_size(b, y),
                      quotient = tg_bound_2(b, TG_OP_div, tg_bound_size(b, x), size),
                      moved = tg_bound_2(b, TG_OP_add, ex, product(b, quotient, ey)),
                      gap = tg_bound_2(b, TG_OP_sub, size, ey),
                      off = tg_bound_2(b, TG_OP_add, tg_bound_2(b, TG_OP_div, moved, gap),
                                       tg_bound_scaled(b, quotient, 0x1p-50)),
                      low = tg_bound_1(b, TG_OP_floor, tg_bound_2(b, TG_OP_sub, quotient, off)),
                      high = tg_bound_1(b, TG_OP_floor, tg_bound_2(b, TG_OP_add, quotient, off)),
                      /* below 0: the dividend may change its sign, and truncation goes to 0 */
        near_0 =
            both(b, tg_bound_compare(b, TG_OP_lt, off, 1), tg_bound_compare(b, TG_OP_eq, high, 0)),
                      is_same = tg_bound_2(b, TG_OP_or, near_0, tg_bound_2(b, TG_OP_eq, low, high)),
                      wide = tg_bound_scaled(b, tg_bound_2(b, TG_OP_add, size, ey), 2),
                      most = tg_bound_unless_nan(b, wide, ex),
                      far = tg_bound_only_if(b, tg_bound_compare(b, TG_OP_gt, gap, 0), most);
    return tg_bound_select(b, both(b, is_same, tg_bound_compare(b, TG_OP_gt, gap, 0)), far, moved);
}
