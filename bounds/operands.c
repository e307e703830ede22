#include "bounds/operands.h"

#include <math.h>

#include "bounds/emit.h"
#include "bounds/model.h"

enum { HIGHEST = 2 }; /* of the attribute `precision`: default, high, highest */

/* Returns which elements the format has: those that Dekker's splitting leaves as they are, and that
 * are not too small for it.  Of infinities and NaN nothing is rounded. */
static tg_value_id are_kept(tg_bound *b, tg_value_id real, const tg_format *f)
{
    const double least = ldexp(1, 2 - (1 << (f->exp_bits - 1)));
    const tg_value_id scaled = tg_bound_scaled(b, real, ldexp(1, 52 - f->man_bits) + 1),
                      rest = tg_bound_2(b, TG_OP_sub, scaled, real),
                      high = tg_bound_2(b, TG_OP_sub, scaled, rest),
                      size = tg_bound_1(b, TG_OP_abs, real),
                      fits = tg_bound_2(b, TG_OP_and, tg_bound_2(b, TG_OP_eq, high, real),
                                        tg_bound_compare(b, TG_OP_ge, size, least)),
                      is_finite = tg_bound_compare(b, TG_OP_lt, size, (double)INFINITY),
                      is_special = tg_bound_2(b, TG_OP_or, tg_bound_1(b, TG_OP_not, is_finite),
                                              tg_bound_compare(b, TG_OP_eq, size, 0));
    return tg_bound_2(b, TG_OP_or, fits, is_special);
}

/* Returns the bound of a value of bound `e` that is rounded to the format. */
static tg_value_id rounded_to(tg_bound *b, tg_value_id v, tg_value_id e, const tg_format *f)
{
    const int bias = (1 << (f->exp_bits - 1)) - 1;
    const double unit = TG_BOUND_SLACK * ldexp(f->truncates ? 2 : 1, -f->man_bits - 1),
                 greatest = ldexp(2 - ldexp(1, -f->man_bits), bias);
    const tg_value_id real = tg_bound_real(b, v), size = tg_bound_add(b, tg_bound_size(b, v), e),
                      error = tg_bound_plus_number(b, tg_bound_scaled(b, size, unit),
                                                   ldexp(1, 1 - bias - f->man_bits)),
                      all = tg_bound_only_if(b, tg_bound_compare(b, TG_OP_le, size, greatest),
                                             tg_bound_add(b, e, error));
    tg_value_id is_same = are_kept(b, real, f);
    if (e != TG_NO_BOUND)
        is_same = tg_bound_2(b, TG_OP_and, is_same, tg_bound_compare(b, TG_OP_eq, e, 0));
    return tg_bound_select(b, is_same, all, tg_bound_number(b, all, 0));
}

void tg_bound_round_operands(tg_bound *b, tg_value_id kept[2])
{
    const tg_op *op = b->op;
    for (int i = 0; i < 2; i++) kept[i] = tg_bound_of(b, op->in[i]);
    if (tg_op_int(op, TG_ATTR_precision, 0) == HIGHEST) return;
    for (int i = 0; i < 2; i++) {
        const tg_value_id v = op->in[i];
        const tg_operand_format *row = tg_contract_operand(b->contract, tg_bound_dtype(b, v));
        if (row) b->companion[TG_COMPANION_BOUND][v] = rounded_to(b, v, kept[i], &row->format);
    }
}

void tg_bound_restore_operands(tg_bound *b, const tg_value_id kept[2])
{
    for (int i = 0; i < 2; i++) b->companion[TG_COMPANION_BOUND][b->op->in[i]] = kept[i];
}
