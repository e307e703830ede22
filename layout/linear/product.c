#include "layout/linear/product.h"

#include "layout/linear/make.h"

/* Adds a dimension with the bits that it has in both. */
static tg_status add_sum(const tg_linear_dims *a, const tg_linear_dims *b, const char *name,
                         tg_linear_dims *sum, tg_diags *diags)
{
    const int i = tg_linear_find_dim(a, name), j = tg_linear_find_dim(b, name);
    const int bits = (i < 0 ? 0 : a->list[i].bits) + (j < 0 ? 0 : b->list[j].bits);
    return tg_linear_add_dim(sum, name, bits, diags);
}

/* Whether the other list still has to give a dimension. */
static bool waits_for(const tg_linear_dims *other, int from, const char *name)
{
    return tg_linear_find_dim(other, name) >= from;
}

/* Merges two lists into one that keeps the order of both. */
static tg_status merge(const tg_linear_dims *a, const tg_linear_dims *b, tg_linear_dims *sum,
                       tg_diags *diags)
{
    int i = 0, j = 0;
    while (i < a->count || j < b->count) {
        const char *x = i < a->count ? a->list[i].name : NULL;
        const char *y = j < b->count ? b->list[j].name : NULL;
        const bool is_x_next = x && !waits_for(b, j + 1, x),
                   is_y_next = y && !waits_for(a, i + 1, y);
        if (!is_x_next && !is_y_next)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "dimension \"%s\" stands before \"%s\" in one layout, and after it in "
                           "the other",
                           x, y);
        const char *next = is_x_next ? x : y;
        TG_TRY(add_sum(a, b, next, sum, diags));
        if (x && tg_linear_find_dim(a, next) == i) i++;
        if (y && tg_linear_find_dim(b, next) == j) j++;
    }
    return TG_OK;
}

/* The column of a factor, in the product: `below` has the dimensions of the factor under it, or is NULL. */
static uint64_t raised(const tg_linear *factor, const tg_linear *below, const tg_linear *product,
                       uint64_t column)
{
    uint64_t bits = 0;
    for (int o = 0; o < factor->out.count; o++) {
        const char *name = factor->out.list[o].name;
        const int under = below ? tg_linear_find_dim(&below->out, name) : -1;
        const int64_t part = tg_linear_part(&factor->out, column, o);
        bits |= tg_linear_column(&product->out, tg_linear_find_dim(&product->out, name),
                                 under < 0 ? part : part << below->out.list[under].bits);
    }
    return bits;
}

/* Puts the bases of a factor where they belong. */
static void put_bases(const tg_linear *factor, const tg_linear *below, tg_linear *product)
{
    for (int d = 0, k = 0; d < factor->in.count; d++) {
        const char *name = factor->in.list[d].name;
        const int under = below ? tg_linear_find_dim(&below->in, name) : -1;
        int to = tg_linear_first_bit(&product->in, tg_linear_find_dim(&product->in, name));
        if (under >= 0) to += below->in.list[under].bits;
        for (int i = 0; i < factor->in.list[d].bits; i++, k++)
            product->columns[to + i] = raised(factor, below, product, factor->columns[k]);
    }
}

tg_status tg_linear_product(const tg_linear *inner, const tg_linear *outer, tg_linear *result,
                            tg_diags *diags)
{
    tg_linear made = {0};
    TG_TRY(merge(&inner->in, &outer->in, &made.in, diags));
    TG_TRY(merge(&inner->out, &outer->out, &made.out, diags));
    put_bases(inner, NULL, &made);
    put_bases(outer, inner, &made);
    *result = made;
    return TG_OK;
}

tg_status tg_linear_times_identity(tg_linear *linear, int64_t size, const char *in, const char *out,
                                   tg_diags *diags)
{
    tg_linear factor;
    TG_TRY(tg_linear_identity(size, in, out, &factor, diags));
    return tg_linear_product(linear, &factor, linear, diags);
}
