/* Dice, values in scope, constants. */
#include "random/maker.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- dice and texts ---- */

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

const char *shown(const tg_type *type)
{
    static char text[4][TG_TYPE_TEXT];
    static int next;
    return tg_type_print(type, text[next = (next + 1) % 4], TG_TYPE_TEXT);
}

void take_value(maker *g, made value)
{
    assert(g->value_count < MOST_MADE);
    g->values[g->value_count++] = value;
}

made begin(maker *g, tg_type type)
{
    made value = {.id = g->next_id++, .type = type};
    take_value(g, value);
    tg_text_add(&g->text, "%%%d:%s = ", value.id, shown(&type));
    return value;
}

/* ---- constants ---- */

/* Literals that every float dtype with what they need holds exactly. */
static const char *float_literal(tg_dtype dtype, int value)
{
    static const char *const common[] = {"1", "2", "0.5", "'nan'", "4", "1", "0.25"};
    static const char *const tiny[] = {"1", "2", "0.5", "-6", "4", "-0.0", "0"};
    static const char *const signed_ones[] = {"0", "-1", "1.5", "-2", "-0.5", "3"};
    unsigned pick = (unsigned)value % 14;
    if (dtype == TG_DT_f4e2m1fn) return tiny[pick % 7];
    if (dtype == TG_DT_f8e8m0fnu || pick >= 6) return common[pick % 7];
    return signed_ones[pick];
}

/* The dtype's integer that `value` wraps to, but none as great as a big block's extent. */
static int int_literal(tg_dtype dtype, int value)
{
    const int bits = tg_dtypes[dtype].bits, range = bits < 8 ? 1 << (bits - 1) : 100;
    return tg_dtypes[dtype].kind == TG_KIND_UINT ? abs(value % range) : value % range;
}

made constant(maker *g, tg_type type, int value)
{
    made c = begin(g, type);
    if (type.dtype == TG_DT_bool)
        tg_text_add(&g->text, "constant value=%s\n", value & 1 ? "true" : "false");
    else if (tg_is_float(type.dtype))
        tg_text_add(&g->text, "constant value=%s\n", float_literal(type.dtype, value));
    else
        tg_text_add(&g->text, "constant value=%d\n", int_literal(type.dtype, value));
    return c;
}

const tg_type scalar = {.dtype = TG_DT_i32};

made zero(maker *g) { return constant(g, scalar, 0); }

made exactly(maker *g, int64_t value)
{
    made number = begin(g, scalar);
    tg_text_add(&g->text, "constant value=%lld\n", (long long)value);
    return number;
}

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
    if (type.rank && type.dtype != TG_DT_bool && roll(g, 2)) {
        made v = begin(g, type);
        tg_text_add(&g->text, "iota axis=%u\n", roll(g, (unsigned)type.rank));
        return v;
    }
    if (g->range == RANDOM_TYPED && roll(g, 12) == 0) {
        made v = begin(g, type);
        tg_text_put(&g->text, "undefined\n");
        return v;
    }
    return constant(g, type, (int)roll(g, 50) - 20);
}

void line1(maker *g, const char *op, made a, const char *rest)
{
    tg_text_add(&g->text, "%s %%%d%s\n", op, a.id, rest);
}

void line2(maker *g, const char *op, made a, made b)
{
    tg_text_add(&g->text, "%s %%%d %%%d\n", op, a.id, b.id);
}

made index_up_to(maker *g, int64_t most)
{
    made low = zero(g), x = of_type(g, scalar);
    made top = exactly(g, most);
    made index = begin(g, scalar);
    tg_text_add(&g->text, "clamp %%%d %%%d %%%d\n", low.id, x.id, top.id);
    return index;
}

const char *list_text(const int64_t *list, int count)
{
    static char text[4][128];
    static int next;
    char *out = text[next = (next + 1) % 4];
    strcpy(out, "[");
    for (int i = 0; i < count; i++)
        snprintf(out + strlen(out), 128 - strlen(out), "%s%lld", i ? "," : "", (long long)list[i]);
    strcat(out, "]");
    return out;
}
