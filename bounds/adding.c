#include "bounds/adding.h"

#include <math.h>

#include "bounds/probable.h"

/* Of f32. */
enum { F32_BITS = 24 };

static int bias_of(int exp_bits) { return (1 << (exp_bits - 1)) - 1; }

static tg_format format_of(tg_dtype dtype)
{
    return (tg_format){.exp_bits = tg_dtypes[dtype].exp_bits,
                       .man_bits = tg_dtypes[dtype].man_bits};
}

/* Returns whether `to` has all numbers of `from`. */
static bool holds(const tg_format *to, const tg_format *from)
{
    return to->exp_bits >= from->exp_bits && to->man_bits >= from->man_bits;
}

static double roundings_of(const tg_bound *b, bool of_dot, double terms, int levels)
{
    const tg_contract *c = b->contract;
    if (of_dot) return terms; /* those of products, and of one addition less */
    if (c->sums == TG_SUM_TREE) return levels;
    if (c->sums == TG_SUM_ANY || b->op->code != TG_OP_reduce_sum) return terms - 1;
    const double block = (double)c->block, blocks = ceil(terms / block);
    return terms <= block ? terms - 1 : block - 1 + blocks - 1;
}

/* Returns how many bits below 1 so many terms may have if they are about 2^8 and their sum is exact
 * in f32: an even number from 8 to 2. */
static int quantum_of(double terms)
{
    int bits = 8;
    while (bits > 2 && terms > ldexp(1, F32_BITS - 8 - bits)) bits -= 2;
    return bits;
}

/* Notes which sums are exact: those of terms that leave bits of the format unused, in formats
 * narrower than f32 those of whole numbers. */
static void note_exact(tg_bound_adding *a, const tg_format *f, double terms)
{
    const int bits = f->man_bits + 1;
    a->quantum = bits >= F32_BITS ? quantum_of(terms) : 0;
    a->most = (bits >= F32_BITS ? F32_BITS : bits) - a->quantum;
    if (bias_of(f->exp_bits) <= a->most) a->most = -1;
}

static tg_dtype usual_format(const tg_bound *b, bool of_dot)
{
    const tg_dtype dtype = tg_bound_dtype(b, b->op->out[0]);
    return of_dot && dtype != TG_DT_f64 ? TG_DT_f32 : dtype;
}

tg_bound_adding tg_bound_adding_of(const tg_bound *b, bool of_dot, double terms, int levels)
{
    const tg_dtype dtype = tg_bound_dtype(b, b->op->out[0]),
                   operands = tg_bound_dtype(b, b->op->in[0]);
    const tg_format result = format_of(dtype), operand = format_of(operands);
    const tg_accumulator *row = tg_contract_accumulator(b->contract, of_dot, operands);
    tg_format f = format_of(usual_format(b, of_dot));
    if (row && row->format.exp_bits > 0) f = row->format;
    if (row) f.truncates = row->format.truncates;
    const int bias = bias_of(f.exp_bits);
    tg_bound_adding a = {.roundings = roundings_of(b, of_dot, terms, levels),
                         .unit = ldexp(f.truncates ? 2 : 1, -f.man_bits - 1),
                         .greatest = ldexp(2 - ldexp(1, -f.man_bits), bias),
                         .most = -1,
                         .is_wider = !holds(&result, &f)};
    /* Each of the terms and the sum so far is cut, and the sum of them is. */
    if (row && row->aligned > 0) a.roundings = terms + 2 * ceil(terms / row->aligned);
    if (!holds(&f, &operand)) a.roundings++; /* terms are rounded before they are added */
    if (!holds(&f, &operand) || (of_dot && (f.exp_bits < 8 || f.man_bits < 23)))
        a.least = ldexp(4, -bias - f.man_bits);
    if (row || result.man_bits >= 23) note_exact(&a, &f, terms);
    const bool is_nearest = !f.truncates && !(row && row->aligned > 0) && b->contract->ulp <= 0.5;
    a.random = is_nearest ? tg_bound_of_random_chain(b, a.roundings, a.unit) : (double)INFINITY;
    return a;
}
