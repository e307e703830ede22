/* Integer and bool lanes against 128-bit arithmetic: all pairs of the 4- and 8-bit dtypes, edge
 * values of the wider ones, on every instruction set of the machine. */
#include <criterion/criterion.h>

#include "lanes_oracle.h"

typedef __int128 wide;

enum { MAX_VALUES = 256 };

static wide least_of(tg_dtype d)
{
    return tg_is_signed(d) ? -((wide)1 << (tg_dtypes[d].bits - 1)) : 0;
}

static wide greatest_of(tg_dtype d)
{
    return ((wide)1 << (tg_dtypes[d].bits - (tg_is_signed(d) ? 1 : 0))) - 1;
}

static wide wrap(tg_dtype d, wide v)
{
    const wide modulus = (wide)1 << tg_dtypes[d].bits;
    v = ((v % modulus) + modulus) % modulus;
    return v > greatest_of(d) ? v - modulus : v;
}

/* a * b modulo 2^128, which is all that wrapping needs. */
static wide product(wide a, wide b) { return (wide)((unsigned __int128)a * (unsigned __int128)b); }

static void put(tg_carrier c, void *at, size_t i, wide v)
{
    switch (c) {
#define X(id, type)                                                                                \
    case TG_C_##id: ((type *)at)[i] = (type)v; break;
        TG_CARRIERS(X)
#undef X
    default: break;
    }
}

static wide get(tg_carrier c, const void *at, size_t i)
{
    switch (c) {
#define X(id, type)                                                                                \
    case TG_C_##id: return (wide)((const type *)at)[i];
        TG_CARRIERS(X)
#undef X
    default: return 0;
    }
}

static size_t values_of(tg_dtype d, wide *out)
{
    const wide least = least_of(d), greatest = greatest_of(d);
    size_t n = 0;
    if (tg_dtypes[d].bits <= 8) {
        for (wide v = least; v <= greatest; v++) out[n++] = v;
        return n;
    }
    for (int k = 0; k < 4; k++) {
        out[n++] = least + k;
        out[n++] = greatest - k;
        out[n++] = wrap(d, -k);
        out[n++] = k;
    }
    for (int bit = 2; bit < tg_dtypes[d].bits; bit += 3) {
        out[n++] = wrap(d, (wide)1 << bit);
        out[n++] = wrap(d, ((wide)1 << bit) - 1);
        out[n++] = wrap(d, (wide)0x123456789abcdef1 >> bit);
    }
    return n;
}

static wide shifted(tg_opcode op, tg_dtype d, wide a, wide b)
{
    const wide modulus = (wide)1 << tg_dtypes[d].bits, width = tg_dtypes[d].bits;
    const wide by = b < 0 ? b + modulus : b, unsigned_a = a < 0 ? a + modulus : a;
    const wide signed_a = unsigned_a >= modulus / 2 ? unsigned_a - modulus : unsigned_a;
    if (op == TG_OP_shift_right_arithmetic)
        return wrap(d, signed_a >> (by < width ? by : width - 1));
    if (by >= width) return 0;
    return wrap(d, op == TG_OP_shift_left ? product(unsigned_a, (wide)1 << by) : unsigned_a >> by);
}

static wide high_half(tg_dtype d, wide a, wide b)
{
    if (tg_is_signed(d)) return a * b >> tg_dtypes[d].bits;
    return (wide)((unsigned __int128)a * (unsigned __int128)b >> tg_dtypes[d].bits);
}

static wide expected_2(tg_opcode op, tg_dtype d, wide a, wide b)
{
    switch (op) {
    case TG_OP_add: return wrap(d, a + b);
    case TG_OP_sub: return wrap(d, a - b);
    case TG_OP_mul: return wrap(d, product(a, b));
    case TG_OP_mul_high: return high_half(d, a, b);
    case TG_OP_div: return b == 0 ? wrap(d, -1) : wrap(d, a / b);
    case TG_OP_rem: return b == 0 ? a : a % b;
    case TG_OP_max: return a > b ? a : b;
    case TG_OP_min: return a < b ? a : b;
    case TG_OP_and: return wrap(d, a & b);
    case TG_OP_or: return wrap(d, a | b);
    case TG_OP_xor: return wrap(d, a ^ b);
    case TG_OP_eq: return a == b;
    case TG_OP_ne: return a != b;
    case TG_OP_lt: return a < b;
    case TG_OP_le: return a <= b;
    case TG_OP_gt: return a > b;
    case TG_OP_ge: return a >= b;
    default: return shifted(op, d, a, b);
    }
}

static wide expected_1(tg_opcode op, tg_dtype d, wide a)
{
    const int bits = tg_dtypes[d].bits;
    int ones = 0, zeros = 0;
    for (int k = bits - 1; k >= 0 && !(a >> k & 1); k--) zeros++;
    for (int k = 0; k < bits; k++) ones += (int)(a >> k & 1);
    switch (op) {
    case TG_OP_neg: return wrap(d, -a);
    case TG_OP_abs: return wrap(d, a < 0 ? -a : a);
    case TG_OP_sign: return a > 0 ? 1 : a < 0 ? -1 : 0;
    case TG_OP_not: return wrap(d, ~a);
    case TG_OP_square: return wrap(d, product(a, a));
    case TG_OP_population_count: return wrap(d, ones);
    case TG_OP_clz: return wrap(d, zeros);
    default: return a;
    }
}

/* Whether the op gives bool. */
static bool is_predicate(tg_opcode op) { return tg_ops[op].rule == TG_RULE_PREDICATE; }

static void check_pairs(const tg_elementwise *lanes, tg_opcode op, tg_dtype d)
{
    static uint64_t a[MAX_VALUES], b[MAX_VALUES], r[MAX_VALUES];
    static wide value[MAX_VALUES];
    const tg_carrier c = tg_carrier_of(d), to = is_predicate(op) ? TG_C_b8 : c;
    const size_t n = values_of(d, value);
    const void *const src[2] = {a, b};
    for (size_t k = 0; k < n; k++) put(c, a, k, value[k]);
    for (size_t shift = 0; shift < n; shift++) {
        for (size_t k = 0; k < n; k++) put(c, b, k, value[(k + shift) % n]);
        cr_assert(lanes_run(tg_elementwise_op(lanes, op, d, d), r, src, 0, n, 0));
        for (size_t k = 0; k < n; k++)
            cr_assert(get(to, r, k) == expected_2(op, d, value[k], value[(k + shift) % n]),
                      "%s %s %s(%lld, %lld)", tg_elementwise_isa(lanes), tg_ops[op].name,
                      tg_dtypes[d].name, (long long)value[k], (long long)value[(k + shift) % n]);
    }
}

/* Every splat combination and some counts; guard elements after the last lane stay. */
static void check_splats(const tg_elementwise *lanes, tg_opcode op, tg_dtype d)
{
    static const size_t counts[] = {0, 1, 2, 15, 67};
    uint64_t a[68], b[68], r[68];
    const tg_carrier c = tg_carrier_of(d), to = is_predicate(op) ? TG_C_b8 : c;
    const void *const src[2] = {a, b};
    wide va[68], vb[68];
    for (size_t k = 0; k < 68; k++) {
        put(c, a, k, va[k] = wrap(d, (wide)k * 7 - 30));
        put(c, b, k, vb[k] = wrap(d, (wide)(k * k) - 5));
    }
    for (unsigned splat = 0; splat < 4; splat++) {
        for (size_t m = 0; m < sizeof counts / sizeof *counts; m++) {
            memset(r, 0x5a, sizeof r);
            lanes_run(tg_elementwise_op(lanes, op, d, d), r, src, splat, counts[m], 0);
            for (size_t k = 0; k < counts[m]; k++)
                cr_assert(get(to, r, k) ==
                              expected_2(op, d, va[splat & 1 ? 0 : k], vb[splat & 2 ? 0 : k]),
                          "%s %s %s splat %u", tg_elementwise_isa(lanes), tg_ops[op].name,
                          tg_dtypes[d].name, splat);
            const size_t end = counts[m] * tg_carrier_bytes[to];
            cr_assert(((const unsigned char *)r)[end] == 0x5a, "wrote past the last lane");
        }
    }
    if (to != c) return;
    lanes_run(tg_elementwise_op(lanes, op, d, d), a, src, 2, 67, 0);
    for (size_t k = 0; k < 67; k++)
        cr_assert(get(c, a, k) == expected_2(op, d, va[k], vb[0]), "%s in place", tg_ops[op].name);
}

static void check_unary(const tg_elementwise *lanes, tg_opcode op, tg_dtype d)
{
    static uint64_t a[MAX_VALUES], r[MAX_VALUES];
    static wide value[MAX_VALUES];
    const tg_carrier c = tg_carrier_of(d);
    const size_t n = values_of(d, value);
    const void *const src[1] = {a};
    for (size_t k = 0; k < n; k++) put(c, a, k, value[k]);
    for (unsigned splat = 0; splat < 2; splat++) {
        cr_assert(lanes_run(tg_elementwise_op(lanes, op, d, d), r, src, splat, n, 0));
        for (size_t k = 0; k < n; k++)
            cr_assert(get(c, r, k) == expected_1(op, d, value[splat ? 0 : k]), "%s %s %s(%lld)",
                      tg_elementwise_isa(lanes), tg_ops[op].name, tg_dtypes[d].name,
                      (long long)value[k]);
    }
}

static void check_pow(const tg_elementwise *lanes, tg_dtype d)
{
    static const int64_t exponents[] = {0, 1, 2, 3, 7, 10, -1, -2};
    static uint64_t a[MAX_VALUES], r[MAX_VALUES];
    static wide value[MAX_VALUES];
    const tg_carrier c = tg_carrier_of(d);
    const size_t n = values_of(d, value);
    const void *const src[1] = {a};
    for (size_t k = 0; k < n; k++) put(c, a, k, value[k]);
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
        cr_assert(lanes_run(tg_elementwise_op(lanes, TG_OP_integer_pow, d, d), r, src, 0, n,
                            exponents[e]));
        for (size_t k = 0; k < n; k++) {
            wide power = 1;
            for (int64_t i = 0; i < llabs(exponents[e]); i++)
                power = wrap(d, product(power, value[k]));
            if (exponents[e] < 0) power = expected_2(TG_OP_div, d, 1, power);
            cr_assert(get(c, r, k) == power, "%s %lld^%lld", tg_dtypes[d].name, (long long)value[k],
                      (long long)exponents[e]);
        }
    }
}

static void check_dtype(const tg_elementwise *lanes, tg_dtype d)
{
    static const tg_opcode twos[] = {TG_OP_add,
                                     TG_OP_sub,
                                     TG_OP_mul,
                                     TG_OP_mul_high,
                                     TG_OP_div,
                                     TG_OP_rem,
                                     TG_OP_max,
                                     TG_OP_min,
                                     TG_OP_and,
                                     TG_OP_or,
                                     TG_OP_xor,
                                     TG_OP_shift_left,
                                     TG_OP_shift_right_logical,
                                     TG_OP_shift_right_arithmetic,
                                     TG_OP_eq,
                                     TG_OP_ne,
                                     TG_OP_lt,
                                     TG_OP_le,
                                     TG_OP_gt,
                                     TG_OP_ge};
    static const tg_opcode ones[] = {TG_OP_neg,    TG_OP_abs,
                                     TG_OP_sign,   TG_OP_not,
                                     TG_OP_square, TG_OP_population_count,
                                     TG_OP_clz,    TG_OP_assume_multiple};
    for (size_t k = 0; k < sizeof twos / sizeof *twos; k++) {
        check_pairs(lanes, twos[k], d);
        check_splats(lanes, twos[k], d);
    }
    for (size_t k = 0; k < sizeof ones / sizeof *ones; k++) check_unary(lanes, ones[k], d);
    check_pow(lanes, d);
}

Test(lanes_int, ops_match_wide_arithmetic)
{
    for (int isa = 0; isa < LANES_ISAS; isa++) {
        const tg_elementwise *const lanes = tg_elementwise_get(lanes_isas[isa]);
        for (int d = 0; lanes != NULL && d < TG_DT_COUNT; d++)
            if (tg_is_int((tg_dtype)d)) check_dtype(lanes, (tg_dtype)d);
    }
}

Test(lanes_int, bools)
{
    const tg_elementwise *const lanes = tg_elementwise_get(NULL);
    const uint8_t a[4] = {0, 0, 1, 1}, b[4] = {0, 1, 0, 1};
    static const struct {
        tg_opcode op;
        uint8_t expected[4];
    } rows[] = {
        {TG_OP_not, {1, 1, 0, 0}}, {TG_OP_and, {0, 0, 0, 1}}, {TG_OP_or, {0, 1, 1, 1}},
        {TG_OP_xor, {0, 1, 1, 0}}, {TG_OP_max, {0, 1, 1, 1}}, {TG_OP_min, {0, 0, 0, 1}},
        {TG_OP_eq, {1, 0, 0, 1}},  {TG_OP_ne, {0, 1, 1, 0}},  {TG_OP_lt, {0, 1, 0, 0}},
        {TG_OP_le, {1, 1, 0, 1}},  {TG_OP_gt, {0, 0, 1, 0}},  {TG_OP_ge, {1, 0, 1, 1}},
    };
    const void *const src[2] = {a, b};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        uint8_t r[4];
        cr_assert(lanes_run(tg_elementwise_op(lanes, rows[k].op, TG_DT_bool, TG_DT_bool), r, src, 0,
                            4, 0));
        cr_assert_arr_eq(r, rows[k].expected, 4, "%s", tg_ops[rows[k].op].name);
    }
}

Test(lanes_int, select_takes_the_nearest_case)
{
    const int32_t which[6] = {0, 1, 2, -5, 9, 1};
    const int16_t no[6] = {10, 11, 12, 13, 14, 15}, yes[6] = {20, 21, 22, 23, 24, 25}, third = 30;
    const int16_t expected[6] = {10, 21, 30, 13, 30, 25};
    const void *const src[4] = {which, no, yes, &third};
    int16_t r[6];
    for (int isa = 0; isa < LANES_ISAS; isa++) {
        const tg_elementwise *const lanes = tg_elementwise_get(lanes_isas[isa]);
        if (lanes == NULL) continue;
        lanes_run(tg_elementwise_op(lanes, TG_OP_select, TG_DT_i16, TG_DT_i32), r, src, 1u << 3, 6,
                  3);
        cr_assert_arr_eq(r, expected, sizeof r);
    }
}

Test(lanes_int, select_by_bool_with_every_splat)
{
    uint8_t which[70];
    uint64_t no[70], yes[70], r[70];
    for (size_t k = 0; k < 70; k++) which[k] = k % 3 == 0, no[k] = 100 + k, yes[k] = 900 + k;
    const void *const src[3] = {which, no, yes};
    for (int isa = 0; isa < LANES_ISAS; isa++) {
        const tg_elementwise *const lanes = tg_elementwise_get(lanes_isas[isa]);
        for (unsigned splat = 0; lanes != NULL && splat < 8; splat++) {
            lanes_run(tg_elementwise_op(lanes, TG_OP_select, TG_DT_i64, TG_DT_bool), r, src, splat,
                      70, 2);
            for (size_t k = 0; k < 70; k++)
                cr_assert_eq(r[k], which[splat & 1 ? 0 : k] ? yes[splat & 4 ? 0 : k]
                                                            : no[splat & 2 ? 0 : k]);
        }
    }
}

Test(lanes_int, clamp_is_min_of_max)
{
    int32_t lo[40], x[40], hi[40], r[40];
    for (int k = 0; k < 40; k++) lo[k] = k - 20, x[k] = 3 * k - 60, hi[k] = 10 - k;
    const void *const src[3] = {lo, x, hi};
    for (int isa = 0; isa < LANES_ISAS; isa++) {
        const tg_elementwise *const lanes = tg_elementwise_get(lanes_isas[isa]);
        for (unsigned splat = 0; lanes != NULL && splat < 8; splat++) {
            lanes_run(tg_elementwise_op(lanes, TG_OP_clamp, TG_DT_i32, TG_DT_i32), r, src, splat,
                      40, 0);
            for (int k = 0; k < 40; k++) {
                const int32_t l = lo[splat & 1 ? 0 : k], v = x[splat & 2 ? 0 : k],
                              h = hi[splat & 4 ? 0 : k];
                const int32_t raised = v > l ? v : l;
                cr_assert_eq(r[k], raised < h ? raised : h);
            }
        }
    }
}
