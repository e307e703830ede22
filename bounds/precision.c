#include "bounds/precision.h"

#include <math.h>

#include "bounds/emit.h"
#include "bounds/model.h"

tg_value_id tg_bound_own_error(tg_bound *b)
{
    const tg_value_id out = b->op->out[0], v = tg_bound_convert(b, out, TG_DT_f64),
                      gap = tg_bound_2(b, TG_OP_sub, v, tg_bound_real(b, out)),
                      is_number = tg_bound_2(b, TG_OP_eq, gap, gap);
    return tg_bound_select(b, is_number, tg_bound_number(b, gap, 0), tg_bound_1(b, TG_OP_abs, gap));
}

/* Half a unit, and what lies below the least normal number is 0; an exact operand determines the
 * result. */
void tg_bound_rule_precision(tg_bound *b)
{
    const tg_op *op = b->op;
    const tg_value_id x = op->in[0], e = tg_bound_of(b, x);
    tg_value_id *bound = &b->companion[TG_COMPANION_BOUND][op->out[0]];
    const int bits = (int)tg_op_int(op, TG_ATTR_mantissa_bits, 0),
              bias = (int)ldexp(1, (int)tg_op_int(op, TG_ATTR_exponent_bits, 1) - 1) - 1;
    b->companion[TG_COMPANION_EXACT][op->out[0]] = tg_bound_real(b, x);
    if (e == TG_NO_BOUND) {
        *bound = tg_bound_own_error(b);
        return;
    }
    const double unit = TG_BOUND_SLACK * ldexp(1, -bits - 1),
                 greatest = fmin(ldexp(1, bias), tg_bound_greatest(tg_bound_dtype(b, op->out[0])));
    const tg_value_id size = tg_bound_add(b, tg_bound_size(b, x), e),
                      error = tg_bound_plus_number(b, tg_bound_scaled(b, size, unit),
                                                   ldexp(1, 1 - bias)),
                      all = tg_bound_only_if(b, tg_bound_compare(b, TG_OP_lt, size, greatest),
                                             tg_bound_add(b, e, error)),
                      is_exact = tg_bound_compare(b, TG_OP_eq, e, 0);
    *bound = tg_bound_select(b, is_exact, all, tg_bound_own_error(b));
}
