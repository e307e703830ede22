#include "bounds/probable.h"

#include <math.h>

static const double lambda = 8;

/* Terms of a sum are much greater than the unit of its partial sums: else roundings depend on each
 * other, as terms that are too small are all lost. */
static const double most_units = 1.0 / 16;

/* Returns how many values a float of the kernel's inputs takes at least: as many as the narrowest one
 * has between 1 and 2. */
static double values_of_inputs(const tg_bound *b)
{
    double least = 0;
    for (uint32_t i = 0; i < b->from->param_count; i++) {
        const tg_param *param = &b->from->params[i];
        if (param->role > TG_ROLE_INPUT || !tg_is_float(param->array.dtype)) continue;
        const double values = ldexp(1, tg_dtypes[param->array.dtype].man_bits);
        if (least == 0 || values < least) least = values;
    }
    return least;
}

double tg_bound_of_random_chain(const tg_bound *b, double roundings, double unit)
{
    const double values = values_of_inputs(b);
    if (!b->is_probable || values == 0 || roundings * unit > most_units) return (double)INFINITY;
    const double share = lambda * sqrt(roundings / 3 * (1 + roundings / values));
    return 2 * share < roundings ? share * unit : (double)INFINITY;
}
