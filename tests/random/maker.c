/* Dice, values in scope, constants. */
#include "random/maker.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- dice and values ---- */

unsigned roll(maker *g, unsigned n)
{
    g->state = g->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(g->state >> 33) % n;
}

tg_type type_of(tg_dtype dtype, int rank, const int64_t *shape)
{
    tg_type type = {.dtype = dtype, .rank = rank};
    if (rank) memcpy(type.shape, shape, (size_t)rank * sizeof *shape);
    return type;
}

void take_value(maker *g, made value)
{
    assert(g->value_count < MOST_MADE);
    g->values[g->value_count++] = value;
}

void use(maker *g, made value) { tg_build_in(&g->b, value.id); }

made give(maker *g, tg_opcode op, tg_type type)
{
    const made value = {.id = tg_build_result(&g->b, op, &type), .type = type};
    take_value(g, value);
    return value;
}

made give_ref(maker *g, tg_opcode op, tg_type type)
{
    tg_type ref = type;
    ref.is_ref = true;
    return (made){.id = tg_build_result(&g->b, op, &ref), .type = type};
}

made give1(maker *g, tg_opcode op, tg_type type, made a)
{
    use(g, a);
    return give(g, op, type);
}

made give2(maker *g, tg_opcode op, tg_type type, made a, made b)
{
    use(g, a);
    return give1(g, op, type, b);
}

made give3(maker *g, tg_opcode op, tg_type type, made a, made b, made c)
{
    use(g, a);
    return give2(g, op, type, b, c);
}

made give_iota(maker *g, tg_type type, int axis)
{
    tg_build_int(&g->b, TG_ATTR_axis, axis);
    return give(g, TG_OP_iota, type);
}

void give_ints(maker *g, tg_attr_id id, const int64_t *list, int count)
{
    tg_build_ints(&g->b, id, list, count);
}

/* ---- constants ---- */

/* Numbers that every float dtype with what they need holds exactly. */
static double float_number(tg_dtype dtype, int value)
{
    static const double common[] = {1, 2, 0.5, (double)NAN, 4, 1, 0.25};
    static const double tiny[] = {1, 2, 0.5, -6, 4, -0.0, 0};
    static const double signed_ones[] = {0, -1, 1.5, -2, -0.5, 3};
    unsigned pick = (unsigned)value % 14;
    if (dtype == TG_DT_f4e2m1fn) return tiny[pick % 7];
    if (dtype == TG_DT_f8e8m0fnu || pick >= 6) return common[pick % 7];
    return signed_ones[pick];
}

/* The dtype's integer that `value` wraps to, but none as great as a big block's extent. */
static int int_number(tg_dtype dtype, int value)
{
    const int bits = tg_dtypes[dtype].bits, range = bits < 8 ? 1 << (bits - 1) : 100;
    return tg_dtypes[dtype].kind == TG_KIND_UINT ? abs(value % range) : value % range;
}

static made give_number(maker *g, tg_type type, double number)
{
    tg_build_number(&g->b, TG_ATTR_value, type.dtype, number);
    return give(g, TG_OP_constant, type);
}

made constant(maker *g, tg_type type, int value)
{
    if (type.dtype == TG_DT_bool) return give_number(g, type, value & 1);
    return give_number(g, type,
                       tg_is_float(type.dtype) ? float_number(type.dtype, value)
                                               : int_number(type.dtype, value));
}

const tg_type scalar = {.dtype = TG_DT_i32};

made zero(maker *g) { return constant(g, scalar, 0); }

made exactly(maker *g, int64_t value) { return give_number(g, scalar, (double)value); }

made any(maker *g)
{
    made v = g->values[0];
    for (int tries = 0; tries < 6; tries++) {
        int back = (int)roll(g, 2) ? (int)roll(g, 12) : (int)roll(g, (unsigned)g->value_count);
        v = g->values[back < g->value_count ? g->value_count - 1 - back : 0];
        if (v.type.rank > 0) break;
    }
    return v;
}

tg_type shape_from_pool(maker *g, tg_dtype dtype)
{
    static const tg_type pool[] = {{.rank = 0},
                                   {.rank = 1, .shape = {5}},
                                   {.rank = 1, .shape = {600}},
                                   {.rank = 2, .shape = {8, 16}},
                                   {.rank = 2, .shape = {16, 8}},
                                   {.rank = 2, .shape = {5, 8}},
                                   {.rank = 3, .shape = {2, 3, 4}},
                                   {.rank = 3, .shape = {4, 1, 8}},
                                   {.rank = 2, .shape = {1, 16}}};
    tg_type type = pool[roll(g, sizeof pool / sizeof *pool)];
    type.dtype = dtype;
    return type;
}

tg_dtype any_dtype(maker *g) { return g->palette[roll(g, PALETTE)]; }

bool is_allowed(tg_domain domain, tg_dtype dtype)
{
    switch (domain) {
    case TG_DOMAIN_FLOAT: return tg_is_float(dtype);
    case TG_DOMAIN_INT: return tg_is_int(dtype);
    case TG_DOMAIN_NUM: return dtype != TG_DT_bool;
    case TG_DOMAIN_BITS: return !tg_is_float(dtype);
    default: return true;
    }
}

made of_type(maker *g, tg_type type)
{
    int start = (int)roll(g, (unsigned)g->value_count + 1);
    if (roll(g, 8))
        for (int k = 0; k < g->value_count; k++) {
            made v = g->values[(start + k) % g->value_count];
            if (tg_same_type(&v.type, &type)) return v;
        }
    if (type.rank && type.dtype != TG_DT_bool && roll(g, 2))
        return give_iota(g, type, (int)roll(g, (unsigned)type.rank));
    if (g->range == RANDOM_TYPED && roll(g, 12) == 0) return give(g, TG_OP_undefined, type);
    return constant(g, type, (int)roll(g, 50) - 20);
}

made index_up_to(maker *g, int64_t most)
{
    made low = zero(g), x = of_type(g, scalar), top = exactly(g, most);
    return give3(g, TG_OP_clamp, scalar, low, x, top);
}
