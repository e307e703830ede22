#include "layout/linear/apply.h"

uint64_t tg_linear_apply(const tg_linear *linear, uint64_t in)
{
    const int count = tg_linear_bit_count(&linear->in);
    uint64_t out = 0;
    for (int i = 0; i < count; i++)
        if (in >> i & 1) out ^= linear->columns[i];
    return out;
}

void tg_linear_apply_dims(const tg_linear *linear, const int64_t *in, int64_t *out)
{
    uint64_t bits = 0;
    for (int i = 0; i < linear->in.count; i++) {
        const uint64_t below = (UINT64_C(1) << linear->in.list[i].bits) - 1;
        bits |= ((uint64_t)in[i] & below) << tg_linear_first_bit(&linear->in, i);
    }
    const uint64_t image = tg_linear_apply(linear, bits);
    for (int o = 0; o < linear->out.count; o++) out[o] = tg_linear_part(&linear->out, image, o);
}

/* The column of `inner` as bits of the in dimensions of `outer`. */
static uint64_t renumbered(const tg_linear *inner, const tg_linear *outer, uint64_t column)
{
    uint64_t bits = 0;
    for (int o = 0; o < inner->out.count; o++) {
        const int in = tg_linear_find_dim(&outer->in, inner->out.list[o].name);
        bits |= tg_linear_column(&outer->in, in, tg_linear_part(&inner->out, column, o));
    }
    return bits;
}

tg_status tg_linear_compose(const tg_linear *inner, const tg_linear *outer, tg_linear *result,
                            tg_diags *diags)
{
    tg_linear made = {.in = inner->in, .out = outer->out};
    if (!tg_linear_dims_same_names(&inner->out, &outer->in))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the %d out dimensions of the one are not the %d in dimensions of the other",
                       inner->out.count, outer->in.count);
    for (int o = 0; o < inner->out.count; o++) {
        const tg_linear_dim *dim = &inner->out.list[o];
        const int room = outer->in.list[tg_linear_find_dim(&outer->in, dim->name)].bits;
        if (dim->bits > room)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "dimension \"%s\" has 2^%d indices, of which the other takes 2^%d",
                           dim->name, dim->bits, room);
    }
    for (int i = 0; i < tg_linear_bit_count(&inner->in); i++)
        made.columns[i] = tg_linear_apply(outer, renumbered(inner, outer, inner->columns[i]));
    *result = made;
    return TG_OK;
}
