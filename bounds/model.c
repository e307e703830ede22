#include "bounds/model.h"

#include <math.h>

#include "bounds/contract_model.h"
#include "bounds/emit.h"
#include "bounds/profile_model.h"

const tg_bound_model *tg_bound_model_of(const tg_bound *b)
{
    return b->contract ? &tg_contract_model : &tg_profile_model;
}

double tg_bound_half_unit(tg_dtype dtype) { return ldexp(1, -tg_dtypes[dtype].man_bits - 1); }

double tg_bound_half_least(tg_dtype dtype)
{
    return ldexp(1, -tg_dtypes[dtype].bias - tg_dtypes[dtype].man_bits);
}

double tg_bound_greatest(tg_dtype dtype)
{
    const tg_dtype_info *info = &tg_dtypes[dtype];
    const int top = (1 << info->exp_bits) - 2 - info->bias;
    return ldexp(2 - ldexp(1, -info->man_bits), top);
}

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

tg_value_id tg_bound_add(tg_bound *b, tg_value_id x, tg_value_id y)
{
    return tg_build_2(b->to, TG_OP_add, x, y);
}

tg_value_id tg_bound_size(tg_bound *b, tg_value_id v)
{
    return tg_build_1(b->to, TG_OP_abs, tg_bound_real(b, v));
}

tg_value_id tg_bound_times(tg_bound *b, tg_value_id size, tg_value_id error)
{
    return tg_bound_where_zero(b, error, tg_build_2(b->to, TG_OP_mul, size, error));
}

tg_value_id tg_bound_dot(tg_bound *b, tg_value_id x, tg_value_id y)
{
    return tg_bound_again(b, TG_OP_dot_general, (tg_value_id[]){x, y}, 2);
}
