#include "layout/linear/resize.h"

static tg_status check_size(const tg_linear_dim *dim, int64_t size, int *bits, tg_diags *diags)
{
    TG_TRY(tg_linear_size_bits(size, bits, diags));
    if (*bits > dim->bits)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "dimension \"%s\" has 2^%d indices, which cannot become 2^%d", dim->name,
                       dim->bits, *bits);
    return TG_OK;
}

/* The bases of `kept`, bits of in dimension `in`. */
static void keep(tg_linear *linear, int in, const int *kept, int count)
{
    tg_linear made = {.in = linear->in, .out = linear->out};
    const int first = tg_linear_first_bit(&linear->in, in), bits = linear->in.list[in].bits;
    const int total = tg_linear_bit_count(&linear->in);
    made.in.list[in].bits = count;
    for (int i = 0; i < first; i++) made.columns[i] = linear->columns[i];
    for (int i = 0; i < count; i++) made.columns[first + i] = linear->columns[first + kept[i]];
    for (int i = first + bits; i < total; i++) made.columns[i - bits + count] = linear->columns[i];
    *linear = made;
}

tg_status tg_linear_resize_in(tg_linear *linear, const char *name, int64_t size, tg_diags *diags)
{
    int in, bits, kept[TG_LINEAR_MAX_BITS];
    TG_TRY(tg_linear_need_dim(&linear->in, name, &in, diags));
    TG_TRY(check_size(&linear->in.list[in], size, &bits, diags));
    for (int i = 0; i < bits; i++) kept[i] = i;
    keep(linear, in, kept, bits);
    return TG_OK;
}

tg_status tg_linear_resize_out(tg_linear *linear, const char *name, int64_t size, tg_diags *diags)
{
    int out, bits;
    TG_TRY(tg_linear_need_dim(&linear->out, name, &out, diags));
    TG_TRY(check_size(&linear->out.list[out], size, &bits, diags));
    tg_linear made = {.in = linear->in, .out = linear->out};
    made.out.list[out].bits = bits;
    for (int i = 0; i < tg_linear_bit_count(&linear->in); i++)
        for (int o = 0; o < linear->out.count; o++) {
            const int64_t part = tg_linear_part(&linear->out, linear->columns[i], o);
            if (o != out || part < size) made.columns[i] |= tg_linear_column(&made.out, o, part);
        }
    *linear = made;
    return TG_OK;
}

tg_status tg_linear_select(tg_linear *linear, const char *name, const int *bits, int count,
                           tg_diags *diags)
{
    int in;
    uint64_t seen = 0;
    TG_TRY(tg_linear_need_dim(&linear->in, name, &in, diags));
    for (int i = 0; i < count; i++) {
        if (bits[i] < 0 || bits[i] >= linear->in.list[in].bits)
            return tg_fail(diags, TG_ERR_INVALID, NULL, "dimension \"%s\" has no bit %d", name,
                           bits[i]);
        if (seen >> bits[i] & 1)
            return tg_fail(diags, TG_ERR_INVALID, NULL, "bit %d of dimension \"%s\" is there twice",
                           bits[i], name);
        seen |= UINT64_C(1) << bits[i];
    }
    keep(linear, in, bits, count);
    return TG_OK;
}

tg_status tg_linear_remove_zeros(tg_linear *linear, const char *name, tg_diags *diags)
{
    int in, kept[TG_LINEAR_MAX_BITS], count = 0;
    TG_TRY(tg_linear_need_dim(&linear->in, name, &in, diags));
    const int first = tg_linear_first_bit(&linear->in, in);
    for (int i = 0; i < linear->in.list[in].bits; i++)
        if (linear->columns[first + i]) kept[count++] = i;
    keep(linear, in, kept, count);
    return TG_OK;
}
