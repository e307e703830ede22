#include "layout/linear/bases.h"

#include <stdio.h>

#include "layout/linear/ttg.h"

void tg_bases_begin(tg_bases *bases)
{
    bases->in.count = bases->count = 0;
    bases->rank = -1;
}

static tg_status read_basis(tg_scanner *s, tg_bases *bases)
{
    tg_scan_peek(s);
    const size_t first = s->at;
    if (bases->count == TG_LINEAR_MAX_BITS)
        return tg_fail_at(s->diags, TG_ERR_UNSUPPORTED, NULL, (int64_t)first,
                          "there are more than %d bases", TG_LINEAR_MAX_BITS);
    tg_shape *basis = &bases->list[bases->count];
    bases->at[bases->count++] = first;
    TG_TRY(tg_ttg_list(s, basis));
    if (bases->rank < 0) bases->rank = basis->rank;
    if (bases->rank != basis->rank)
        return tg_fail_at(s->diags, TG_ERR_INVALID, NULL, (int64_t)first,
                          "a basis has %d numbers, but the first one has %d", basis->rank,
                          bases->rank);
    return TG_OK;
}

tg_status tg_bases_read_dim(tg_scanner *s, const char *name, tg_bases *bases)
{
    const int first = bases->count;
    TG_TRY(tg_scan_expect(s, '[', "before the bases"));
    if (!tg_scan_accept(s, ']')) {
        do {
            TG_TRY(read_basis(s, bases));
        } while (tg_scan_accept(s, ','));
        TG_TRY(tg_scan_expect(s, ']', "after the bases"));
    }
    return tg_linear_add_dim(&bases->in, name, bases->count - first, s->diags);
}

tg_status tg_bases_read(tg_scanner *s, tg_bases *bases)
{
    tg_bases_begin(bases);
    TG_TRY(tg_scan_expect(s, '{', "before the in dimensions"));
    if (tg_scan_accept(s, '}')) return TG_OK;
    do {
        char name[TG_LINEAR_NAME_SIZE];
        TG_TRY(tg_ttg_name(s, name, sizeof name));
        TG_TRY(tg_scan_expect(s, '=', "after the name of an in dimension"));
        TG_TRY(tg_bases_read_dim(s, name, bases));
    } while (tg_scan_accept(s, ','));
    return tg_scan_expect(s, '}', "after the in dimensions");
}

int tg_bases_bits(const tg_bases *bases, int out)
{
    int64_t used = 0;
    for (int i = 0; i < bases->count; i++) used |= bases->list[i].extent[out];
    return used ? 64 - __builtin_clzll((unsigned long long)used) : 0;
}

tg_status tg_bases_standard_outs(const tg_bases *bases, int rank, tg_linear_dims *outs,
                                 tg_diags *diags)
{
    outs->count = 0;
    if (bases->rank > rank) rank = bases->rank;
    for (int o = 0; o < rank; o++) {
        char name[TG_LINEAR_NAME_SIZE];
        snprintf(name, sizeof name, "dim%d", o);
        TG_TRY(tg_linear_add_dim(outs, name, bases->rank < 0 ? 0 : tg_bases_bits(bases, o), diags));
    }
    return TG_OK;
}

tg_status tg_bases_to_linear(const tg_bases *bases, tg_linear *out, tg_diags *diags)
{
    if (bases->rank >= 0 && bases->rank != out->out.count)
        return tg_fail_at(diags, TG_ERR_INVALID, NULL, (int64_t)bases->at[0],
                          "a basis has %d numbers, but there are %d out dimensions", bases->rank,
                          out->out.count);
    out->in = bases->in;
    for (int i = 0; i < bases->count; i++) {
        out->columns[i] = 0;
        for (int o = 0; o < out->out.count; o++) {
            const int64_t v = bases->list[i].extent[o];
            if (v >> out->out.list[o].bits)
                return tg_fail_at(diags, TG_ERR_INVALID, NULL, (int64_t)bases->at[i],
                                  "a basis leads to %lld of \"%s\", which has 2^%d indices",
                                  (long long)v, out->out.list[o].name, out->out.list[o].bits);
            out->columns[i] |= tg_linear_column(&out->out, o, v);
        }
    }
    return TG_OK;
}
