#include "layout/linear/concat.h"

static tg_status add_all(const tg_linear_dims *from, tg_linear_dims *to, tg_diags *diags)
{
    for (int i = 0; i < from->count; i++)
        TG_TRY(tg_linear_add_dim(to, from->list[i].name, from->list[i].bits, diags));
    return TG_OK;
}

static tg_status check_same(const tg_linear_dims *a, const tg_linear_dims *b, const char *which,
                            tg_diags *diags)
{
    if (tg_linear_dims_same(a, b)) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL,
                   "the two layouts do not have the same %s dimensions", which);
}

tg_status tg_linear_concat_ins(const tg_linear *first, const tg_linear *second, tg_linear *result,
                               tg_diags *diags)
{
    tg_linear made = *first;
    const int count = tg_linear_bit_count(&first->in);
    TG_TRY(check_same(&first->out, &second->out, "out", diags));
    TG_TRY(add_all(&second->in, &made.in, diags));
    for (int i = 0; i < tg_linear_bit_count(&second->in); i++)
        made.columns[count + i] = second->columns[i];
    *result = made;
    return TG_OK;
}

tg_status tg_linear_concat_outs(const tg_linear *first, const tg_linear *second, tg_linear *result,
                                tg_diags *diags)
{
    tg_linear made = *first;
    const int count = tg_linear_bit_count(&first->out);
    TG_TRY(check_same(&first->in, &second->in, "in", diags));
    TG_TRY(add_all(&second->out, &made.out, diags));
    for (int i = 0; i < tg_linear_bit_count(&first->in); i++)
        made.columns[i] |= second->columns[i] << count;
    *result = made;
    return TG_OK;
}
