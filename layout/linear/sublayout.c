#include "layout/linear/sublayout.h"

tg_status tg_linear_dims_named(const tg_linear_dims *dims, const char *const *names, int count,
                               tg_linear_dim_set *set, tg_diags *diags)
{
    *set = 0;
    for (int i = 0; i < count; i++) {
        int dim;
        TG_TRY(tg_linear_need_dim(dims, names[i], &dim, diags));
        *set |= UINT32_C(1) << dim;
    }
    return TG_OK;
}

static bool has(tg_linear_dim_set set, int dim) { return set >> dim & 1; }

static void take(const tg_linear_dims *from, tg_linear_dim_set set, tg_linear_dims *to)
{
    to->count = 0;
    for (int i = 0; i < from->count; i++)
        if (has(set, i)) to->list[to->count++] = from->list[i];
}

/* The parts of a column in some out dimensions, moved together. */
static uint64_t packed(const tg_linear_dims *dims, tg_linear_dim_set set, uint64_t column)
{
    uint64_t bits = 0;
    for (int o = 0, at = 0; o < dims->count; o++)
        if (has(set, o)) {
            bits |= (uint64_t)tg_linear_part(dims, column, o) << at;
            at += dims->list[o].bits;
        }
    return bits;
}

void tg_linear_sublayout(const tg_linear *linear, tg_linear_dim_set ins, tg_linear_dim_set outs,
                         tg_linear *result)
{
    tg_linear made = {0};
    take(&linear->in, ins, &made.in);
    take(&linear->out, outs, &made.out);
    for (int d = 0, k = 0, to = 0; d < linear->in.count; d++)
        for (int i = 0; i < linear->in.list[d].bits; i++, k++)
            if (has(ins, d)) made.columns[to++] = packed(&linear->out, outs, linear->columns[k]);
    *result = made;
}

bool tg_linear_is_zero(const tg_linear *linear, tg_linear_dim_set ins, tg_linear_dim_set outs)
{
    for (int d = 0, k = 0; d < linear->in.count; d++)
        for (int i = 0; i < linear->in.list[d].bits; i++, k++)
            if (has(ins, d) && packed(&linear->out, outs, linear->columns[k])) return false;
    return true;
}

/* Whether a dimension that is in and out leads to the same index of itself. */
static bool is_identity(const tg_linear *linear, int in, int out)
{
    const int bits = linear->in.list[in].bits;
    if (linear->out.list[out].bits != bits) return false;
    for (int i = 0; i < bits; i++)
        if (tg_linear_basis(linear, in, i, out) != INT64_C(1) << i) return false;
    return true;
}

tg_status tg_linear_is_trivial_over(const tg_linear *linear, const char *const *names, int count,
                                    bool *is_trivial, tg_diags *diags)
{
    tg_linear_dim_set ins, outs;
    TG_TRY(tg_linear_dims_named(&linear->in, names, count, &ins, diags));
    TG_TRY(tg_linear_dims_named(&linear->out, names, count, &outs, diags));
    *is_trivial = tg_linear_is_zero(linear, ~ins, outs) && tg_linear_is_zero(linear, ins, ~outs);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            const int in = tg_linear_find_dim(&linear->in, names[i]);
            const int out = tg_linear_find_dim(&linear->out, names[j]);
            const bool is_same = in == tg_linear_find_dim(&linear->in, names[j]);
            *is_trivial &= is_same
                               ? is_identity(linear, in, out)
                               : tg_linear_is_zero(linear, UINT32_C(1) << in, UINT32_C(1) << out);
        }
    return TG_OK;
}

tg_status tg_linear_quotient(const tg_linear *linear, const char *const *names, int count,
                             tg_linear *result, tg_diags *diags)
{
    tg_linear_dim_set ins, outs;
    bool is_trivial;
    TG_TRY(tg_linear_is_trivial_over(linear, names, count, &is_trivial, diags));
    if (!is_trivial)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the layout is not trivial over these dimensions");
    TG_TRY(tg_linear_dims_named(&linear->in, names, count, &ins, diags));
    TG_TRY(tg_linear_dims_named(&linear->out, names, count, &outs, diags));
    tg_linear_sublayout(linear, ~ins, ~outs, result);
    return TG_OK;
}

int64_t tg_linear_consecutive(const tg_linear *linear)
{
    if (!linear->in.count || !linear->out.count) return 1;
    const int bits = linear->in.list[0].bits, total = tg_linear_bit_count(&linear->in);
    int run = 0;
    while (run < bits && run < linear->out.list[0].bits &&
           linear->columns[run] == UINT64_C(1) << run)
        run++;
    /* The other bases keep the low bits of the first out dimension. */
    uint64_t others = 0;
    for (int i = run; i < total; i++)
        others |= (uint64_t)tg_linear_part(&linear->out, linear->columns[i], 0);
    if (others && __builtin_ctzll(others) < run) run = __builtin_ctzll(others);
    return INT64_C(1) << run;
}
