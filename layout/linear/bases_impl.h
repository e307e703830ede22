/* Bases as they are read, before the sizes of the out dimensions are known. */
#ifndef TG_LAYOUT_LINEAR_BASES_IMPL_H
#define TG_LAYOUT_LINEAR_BASES_IMPL_H

#include <stdio.h>

#include "layout/linear/ttg_impl.h"

typedef struct tg_bases {
    tg_linear_dims in;
    int count, rank;                   /* bases; numbers of each, -1 if there is no basis yet */
    tg_shape list[TG_LINEAR_MAX_BITS]; /* of each bit of the in dimensions */
    size_t at[TG_LINEAR_MAX_BITS];     /* where it is in the text */
} tg_bases;

static inline void tg_bases_begin(tg_bases *bases)
{
    bases->in.count = bases->count = 0;
    bases->rank = -1;
}

static inline tg_status tg_bases_read_basis(tg_ttg *s, tg_bases *bases)
{
    tg_ttg_space(s);
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

/* "[[0, 1], [0, 2]]", for an in dimension */
static inline tg_status tg_bases_read_dim(tg_ttg *s, const char *name, tg_bases *bases)
{
    const int first = bases->count;
    TG_TRY(tg_ttg_expect(s, '[', "before the bases"));
    if (!tg_ttg_accept(s, ']')) {
        do {
            TG_TRY(tg_bases_read_basis(s, bases));
        } while (tg_ttg_accept(s, ','));
        TG_TRY(tg_ttg_expect(s, ']', "after the bases"));
    }
    return tg_linear_add_dim(&bases->in, name, bases->count - first, s->diags);
}

/* "{name = [..], ..}" */
static inline tg_status tg_bases_read(tg_ttg *s, tg_bases *bases)
{
    tg_bases_begin(bases);
    TG_TRY(tg_ttg_expect(s, '{', "before the in dimensions"));
    if (tg_ttg_accept(s, '}')) return TG_OK;
    do {
        char name[TG_LINEAR_NAME_SIZE];
        TG_TRY(tg_ttg_name(s, name, sizeof name));
        TG_TRY(tg_ttg_expect(s, '=', "after the name of an in dimension"));
        TG_TRY(tg_bases_read_dim(s, name, bases));
    } while (tg_ttg_accept(s, ','));
    return tg_ttg_expect(s, '}', "after the in dimensions");
}

/* The bits that the bases need in out dimension `out`. */
static inline int tg_bases_bits(const tg_bases *bases, int out)
{
    int64_t used = 0;
    for (int i = 0; i < bases->count; i++) used |= bases->list[i].extent[out];
    return used ? 64 - __builtin_clzll((unsigned long long)used) : 0;
}

/* Out dimensions dim0, dim1, .. of the least sizes; at least `rank` of them. */
static inline tg_status tg_bases_standard_outs(const tg_bases *bases, int rank,
                                               tg_linear_dims *outs, tg_diags *diags)
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

/* The layout of bases that have out->out.count numbers each. */
static inline tg_status tg_bases_to_linear(const tg_bases *bases, tg_linear *out, tg_diags *diags)
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

#endif
