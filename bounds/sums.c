/* Sums and products of many numbers, and their running forms. */
#include "bounds/sums.h"

#include <math.h>

#include "bounds/models.h"
#include "bounds/rules_impl.h"

static tg_value_id reduced(tg_bound *b, tg_opcode code, tg_value_id v)
{
    return tg_bound_again(b, code, &v, 1);
}

/* How many elements a reduction combines, and in how many levels of a tree. */
typedef struct extent {
    double count;
    int levels;
} extent;

static extent extent_of(const tg_bound *b)
{
    const tg_op *op = b->op;
    const tg_type *type = &b->from->values[op->in[0]].type;
    const tg_attr *axes = tg_op_attr(op, TG_ATTR_axes);
    extent all = {.count = 1};
    if (!axes) {
        all.count = (double)type->shape[tg_op_int(op, TG_ATTR_axis, 0)];
        all.levels = (int)all.count - 1; /* one after the other */
        return all;
    }
    for (int64_t a = 0; a < axes->count; a++) {
        const int64_t n = type->shape[axes->as.ints[a]];
        for (int64_t rest = n; rest > 1; rest = (rest + 1) / 2) all.levels++;
        all.count *= (double)n;
    }
    return all;
}

void tg_bound_rule_sum(tg_bound *b)
{
    const tg_op *op = b->op;
    const extent all = extent_of(b);
    const tg_value_id e = tg_bound_of(b, op->in[0]),
                      passed = e == TG_NO_BOUND ? e : reduced(b, op->code, e),
                      sizes = reduced(b, op->code, tg_bound_size(b, op->in[0]));
    if (!tg_bound_may_be_zero(b, e)) tg_bound_note(b, passed, TG_FACT_POSITIVE);
    tg_bound_set(b, TG_COMPANION_BOUND,
                 tg_bound_model_of(b)->sum(b, passed, sizes, all.count, all.levels));
}

/* Returns whether all factors are exact whole numbers whose product stays below 2^bits, so that no
 * step is rounded. */
static tg_value_id is_exact_product(tg_bound *b, tg_value_id most, int bits)
{
    const tg_value_id x = b->op->in[0], real = tg_bound_real(b, x), e = tg_bound_of(b, x),
                      whole = tg_bound_2(b, TG_OP_eq, tg_bound_1(b, TG_OP_floor, real), real);
    tg_value_id all = whole;
    if (e != TG_NO_BOUND) all = tg_bound_2(b, TG_OP_and, all, tg_bound_compare(b, TG_OP_eq, e, 0));
    const tg_value_id small = tg_bound_compare(b, TG_OP_le, most, ldexp(1, bits));
    return tg_bound_2(b, TG_OP_and, tg_bound_spread(b, tg_bound_all(b, all), small), small);
}

/* Factors within e of their values, and a rounding at each step: P (1 + g(n - 1)) - |z|, where P is
 * the product of |x| + e.  No step overflows or leaves more than half the least number, times the
 * factors that follow, where the product of all max(1, |x| + e) is small enough. */
void tg_bound_rule_product(tg_bound *b)
{
    const tg_op *op = b->op;
    const tg_value_id x = op->in[0];
    const tg_dtype dtype = tg_bound_dtype(b, op->out[0]);
    const double n = extent_of(b).count, half_units = 2 * b->contract->ulp,
                 chain = tg_bound_of_chain(half_units * n, tg_bound_half_unit(dtype)),
                 share = TG_BOUND_SLACK * chain + n * 0x1p-50,
                 least = tg_contract_flushes(b->contract, dtype)
                             ? tg_bound_least_normal(dtype)
                             : half_units * tg_bound_half_least(dtype);
    const tg_value_id far = tg_bound_add(b, tg_bound_size(b, x), tg_bound_of(b, x)),
                      product = reduced(b, op->code, far),
                      at_least_1 = tg_bound_2(b, TG_OP_max, far, tg_bound_number(b, far, 1)),
                      most = reduced(b, op->code, at_least_1),
                      z = tg_bound_1(b, TG_OP_abs, tg_bound_real(b, op->out[0])),
                      moved = tg_bound_2(b, TG_OP_sub, product, z),
                      rounding = tg_bound_scaled(b, product, share),
                      tiny = tg_bound_scaled(b, most, 4 * n * least),
                      bound =
                          tg_bound_2(b, TG_OP_add, tg_bound_2(b, TG_OP_add, moved, rounding), tiny),
                      fits = tg_bound_compare(b, TG_OP_le, most,
                                              tg_bound_greatest(dtype) / (2 + 2 * share)),
                      all = tg_bound_only_if(b, fits, bound),
                      is_exact = is_exact_product(b, most, tg_dtypes[dtype].man_bits);
    tg_bound_set(b, TG_COMPANION_BOUND,
                 tg_bound_select(b, is_exact, all, tg_bound_number(b, all, 0)));
}
