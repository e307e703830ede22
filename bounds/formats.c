#include "bounds/formats.h"

#include <math.h>

double tg_bound_half_unit(tg_dtype dtype) { return ldexp(1, -tg_dtypes[dtype].man_bits - 1); }

double tg_bound_half_least(tg_dtype dtype)
{
    return ldexp(1, -tg_dtypes[dtype].bias - tg_dtypes[dtype].man_bits);
}

double tg_bound_least_normal(tg_dtype dtype) { return ldexp(1, 1 - tg_dtypes[dtype].bias); }

double tg_bound_greatest(tg_dtype dtype)
{
    const tg_dtype_info *info = &tg_dtypes[dtype];
    const int top = (1 << info->exp_bits) - 2 - info->bias;
    return ldexp(2 - ldexp(1, -info->man_bits), top);
}
