#include "layout/linear/reshape.h"

static tg_status reshape(tg_linear_dims *from, const tg_linear_dims *to, tg_diags *diags)
{
    if (tg_linear_bit_count(from) != tg_linear_bit_count(to))
        return tg_fail(diags, TG_ERR_INVALID, NULL, "2^%d indices cannot be dimensions of 2^%d",
                       tg_linear_bit_count(from), tg_linear_bit_count(to));
    *from = *to;
    return TG_OK;
}

tg_status tg_linear_reshape_ins(tg_linear *linear, const tg_linear_dims *dims, tg_diags *diags)
{
    return reshape(&linear->in, dims, diags);
}

tg_status tg_linear_reshape_outs(tg_linear *linear, const tg_linear_dims *dims, tg_diags *diags)
{
    return reshape(&linear->out, dims, diags);
}

static void flatten(tg_linear_dims *dims)
{
    if (!dims->count) return;
    dims->list[0].bits = tg_linear_bit_count(dims);
    dims->count = 1;
}

void tg_linear_flatten_ins(tg_linear *linear) { flatten(&linear->in); }

void tg_linear_flatten_outs(tg_linear *linear) { flatten(&linear->out); }

static tg_status reorder(const tg_linear_dims *from, const char *const *names, int count,
                         tg_linear_dims *to, tg_diags *diags)
{
    to->count = 0;
    for (int i = 0; i < count; i++) {
        int dim;
        TG_TRY(tg_linear_need_dim(from, names[i], &dim, diags));
        TG_TRY(tg_linear_add_dim(to, names[i], from->list[dim].bits, diags));
    }
    if (count != from->count)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "an order of %d dimensions is none of a layout that has %d", count,
                       from->count);
    return TG_OK;
}

tg_status tg_linear_transpose_ins(tg_linear *linear, const char *const *names, int count,
                                  tg_diags *diags)
{
    tg_linear made = {.out = linear->out};
    TG_TRY(reorder(&linear->in, names, count, &made.in, diags));
    for (int d = 0, k = 0; d < count; d++) {
        const int from = tg_linear_find_dim(&linear->in, names[d]);
        const int first = tg_linear_first_bit(&linear->in, from);
        for (int i = 0; i < made.in.list[d].bits; i++)
            made.columns[k++] = linear->columns[first + i];
    }
    *linear = made;
    return TG_OK;
}

tg_status tg_linear_transpose_outs(tg_linear *linear, const char *const *names, int count,
                                   tg_diags *diags)
{
    tg_linear made = {.in = linear->in};
    TG_TRY(reorder(&linear->out, names, count, &made.out, diags));
    for (int i = 0; i < tg_linear_bit_count(&linear->in); i++)
        for (int d = 0; d < count; d++) {
            const int from = tg_linear_find_dim(&linear->out, names[d]);
            made.columns[i] |= tg_linear_column(
                &made.out, d, tg_linear_part(&linear->out, linear->columns[i], from));
        }
    *linear = made;
    return TG_OK;
}
