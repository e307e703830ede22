#include "layout/cute/arithmetic.h"

tg_status tg_tuple_multiply(const tg_tuple *tuple, int64_t *out, tg_diags *diags)
{
    *out = 1;
    for (int i = 0; i < tuple->count; i++)
        if (tg_tuple_is_integer(tuple, i) &&
            __builtin_mul_overflow(*out, tuple->node[i].value, out))
            return tg_fail(diags, TG_ERR_INVALID, NULL, "the product does not fit in 63 bits");
    return TG_OK;
}

tg_status tg_tuple_inner_product(const tg_tuple *a, const tg_tuple *b, int64_t *out,
                                 tg_diags *diags)
{
    int64_t product;
    if (!tg_tuple_congruent(a, 0, b, 0))
        return tg_fail(diags, TG_ERR_INVALID, NULL, "the tuples are not nested alike");
    *out = 0;
    for (int i = 0; i < a->count; i++)
        if (tg_tuple_is_integer(a, i) &&
            (__builtin_mul_overflow(a->node[i].value, b->node[i].value, &product) ||
             __builtin_add_overflow(*out, product, out)))
            return tg_fail(diags, TG_ERR_INVALID, NULL, "the sum does not fit in 63 bits");
    return TG_OK;
}

tg_status tg_tuple_divide(const tg_tuple *shape, int64_t divisor, tg_tuple *out, tg_diags *diags)
{
    tg_tuple_copy(shape, out);
    for (int i = 0; i < out->count; i++) {
        if (!tg_tuple_is_integer(out, i)) continue;
        const int64_t extent = out->node[i].value;
        if (extent < 1 || divisor < 1)
            return tg_fail(diags, TG_ERR_INVALID, NULL, "%lld divided by %lld; both are at least 1",
                           (long long)extent, (long long)divisor);
        if (extent % divisor != 0 && divisor % extent != 0)
            return tg_fail(diags, TG_ERR_INVALID, NULL, "%lld and %lld: neither divides the other",
                           (long long)extent, (long long)divisor);
        out->node[i].value = extent > divisor ? extent / divisor : 1;
        divisor = divisor > extent ? divisor / extent : 1;
    }
    return TG_OK;
}
