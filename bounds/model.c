#include "bounds/model.h"

#include <math.h>

#include "bounds/emit.h"
#include "bounds/facts.h"

bool tg_bound_keeps_all(const tg_bound *b, const tg_op *convert)
{
    const tg_dtype dtype = tg_bound_dtype(b, convert->in[0]);
    const tg_dtype_info *to = &tg_dtypes[tg_bound_dtype(b, convert->out[0])],
                        *from = &tg_dtypes[dtype];
    return tg_is_float(dtype) && to->man_bits >= from->man_bits && to->exp_bits >= from->exp_bits;
}

double tg_bound_of_chain(double count, double unit)
{
    const double share = count * unit;
    return share < 0.5 ? share / (1 - share) : (double)INFINITY;
}

bool tg_bound_may_be_zero(const tg_bound *b, tg_value_id bound)
{
    return bound == TG_NO_BOUND || !tg_bound_knows(b, bound, TG_FACT_POSITIVE);
}

tg_value_id tg_bound_add(tg_bound *b, tg_value_id x, tg_value_id y)
{
    if (x == TG_NO_BOUND || y == TG_NO_BOUND) return x == TG_NO_BOUND ? y : x;
    const tg_value_id sum = tg_bound_2(b, TG_OP_add, x, y);
    if (!tg_bound_may_be_zero(b, x) || !tg_bound_may_be_zero(b, y))
        tg_bound_note(b, sum, TG_FACT_POSITIVE);
    return sum;
}

tg_value_id tg_bound_larger(tg_bound *b, tg_value_id x, tg_value_id y)
{
    if (x == TG_NO_BOUND || y == TG_NO_BOUND) return x == TG_NO_BOUND ? y : x;
    return tg_bound_2(b, TG_OP_max, x, y);
}

tg_value_id tg_bound_size(tg_bound *b, tg_value_id v)
{
    const tg_value_id real = tg_bound_real(b, v);
    if (b->contract && tg_bound_knows(b, v, TG_FACT_NOT_NEGATIVE)) return real;
    return tg_bound_1(b, TG_OP_abs, real);
}

tg_value_id tg_bound_times(tg_bound *b, tg_value_id size, tg_value_id error)
{
    if (error == TG_NO_BOUND) return error;
    const tg_value_id product = tg_bound_2(b, TG_OP_mul, size, error);
    return tg_bound_may_be_zero(b, error) ? tg_bound_where_zero(b, error, product) : product;
}

tg_value_id tg_bound_only_if(tg_bound *b, tg_value_id is_bounded, tg_value_id bound)
{
    const tg_value_id infinite = tg_bound_number(b, bound, (double)INFINITY),
                      all = tg_bound_select(b, is_bounded, infinite, bound);
    if (!tg_bound_may_be_zero(b, bound)) tg_bound_note(b, all, TG_FACT_POSITIVE);
    return all;
}

tg_value_id tg_bound_up_to(tg_bound *b, tg_value_id e, double most)
{
    const tg_value_id is_finite = tg_bound_compare(b, TG_OP_lt, e, (double)INFINITY);
    return tg_bound_only_if(b, is_finite, tg_bound_number(b, e, most));
}

tg_value_id tg_bound_dot(tg_bound *b, tg_value_id x, tg_value_id y)
{
    tg_type type = tg_build_type(b->to, b->op->out[0]);
    type.dtype = tg_build_type(b->to, x).dtype;
    return tg_bound_like(b, TG_OP_dot_general, (tg_value_id[]){x, y}, 2, &type);
}
