#include "layout/linear/divide.h"

/* The bits that a dimension has in other dimensions: 0 if it is not there. */
static int bits_in(const tg_linear_dims *dims, const char *name)
{
    const int dim = tg_linear_find_dim(dims, name);
    return dim < 0 ? 0 : dims->list[dim].bits;
}

static tg_status subtract(const tg_linear_dims *all, const tg_linear_dims *part,
                          tg_linear_dims *rest, tg_diags *diags)
{
    rest->count = 0;
    for (int i = 0; i < part->count; i++) {
        int dim;
        TG_TRY(tg_linear_need_dim(all, part->list[i].name, &dim, diags));
        if (part->list[i].bits > all->list[dim].bits)
            return tg_fail(
                diags, TG_ERR_INVALID, NULL,
                "dimension \"%s\" has 2^%d indices in the divisor, but 2^%d in the dividend",
                all->list[dim].name, part->list[i].bits, all->list[dim].bits);
    }
    for (int i = 0; i < all->count; i++)
        TG_TRY(tg_linear_add_dim(rest, all->list[i].name,
                                 all->list[i].bits - bits_in(part, all->list[i].name), diags));
    return TG_OK;
}

typedef struct division {
    const tg_linear *dividend, *divisor;
    tg_linear *quotient;
    bool is_left; /* the divisor has the low bits */
    tg_diags *diags;
} division;

static tg_status differs(const division *d, int in, int bit, const char *out)
{
    return tg_fail(d->diags, TG_ERR_INVALID, NULL,
                   "basis %d of \"%s\" is not that of a product: it differs in \"%s\"", bit,
                   d->dividend->in.list[in].name, out);
}

/* Basis `bit` of the dividend is that of basis `from` of the factor, raised by as many bits as the other
 * factor has below it. */
static tg_status check_factor(const division *d, int in, int bit, int from)
{
    const tg_linear *all = d->dividend, *part = d->divisor;
    const int part_in = tg_linear_find_dim(&part->in, all->in.list[in].name);
    for (int o = 0; o < all->out.count; o++) {
        const char *name = all->out.list[o].name;
        const int part_out = tg_linear_find_dim(&part->out, name);
        int64_t expected = part_out < 0 ? 0 : tg_linear_basis(part, part_in, from, part_out);
        if (!d->is_left) expected <<= d->quotient->out.list[o].bits;
        if (tg_linear_basis(all, in, bit, o) != expected) return differs(d, in, bit, name);
    }
    return TG_OK;
}

/* Basis `bit` of the dividend is basis `to` of the quotient, raised by the bits of the divisor if these
 * are below it. */
static tg_status take_quotient(const division *d, int in, int bit, int to)
{
    const tg_linear *all = d->dividend;
    for (int o = 0; o < all->out.count; o++) {
        const char *name = all->out.list[o].name;
        const int below = d->is_left ? bits_in(&d->divisor->out, name) : 0;
        const int64_t value = tg_linear_basis(all, in, bit, o), part = value >> below;
        if (part << below != value || part >> d->quotient->out.list[o].bits)
            return differs(d, in, bit, name);
        tg_linear_set_basis(d->quotient, in, to, o, part);
    }
    return TG_OK;
}

static tg_status divide(const tg_linear *dividend, const tg_linear *divisor, bool is_left,
                        tg_linear *result, tg_diags *diags)
{
    tg_linear quotient = {0};
    const division d = {dividend, divisor, &quotient, is_left, diags};
    TG_TRY(subtract(&dividend->in, &divisor->in, &quotient.in, diags));
    TG_TRY(subtract(&dividend->out, &divisor->out, &quotient.out, diags));
    for (int in = 0; in < dividend->in.count; in++) {
        const int mine = quotient.in.list[in].bits, theirs = dividend->in.list[in].bits - mine;
        const int first = is_left ? 0 : mine; /* of the divisor */
        for (int i = 0; i < theirs; i++) TG_TRY(check_factor(&d, in, first + i, i));
        for (int i = 0; i < mine; i++) TG_TRY(take_quotient(&d, in, is_left ? theirs + i : i, i));
    }
    *result = quotient;
    return TG_OK;
}

tg_status tg_linear_divide_left(const tg_linear *dividend, const tg_linear *divisor,
                                tg_linear *result, tg_diags *diags)
{
    return divide(dividend, divisor, true, result, diags);
}

tg_status tg_linear_divide_right(const tg_linear *dividend, const tg_linear *divisor,
                                 tg_linear *result, tg_diags *diags)
{
    return divide(dividend, divisor, false, result, diags);
}
