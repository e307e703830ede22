/* Lanes of fma against integers: operands are integers times powers of two, whose exact product and
 * sum has at most 126 bits, which are rounded here one by one. */
#include <criterion/criterion.h>

#include "lanes_oracle.h"
#include "sampled.h"

typedef __int128 wide;

enum { TRIPLES = 1 << 14 };

/* How an operand is made: an integer of at most `bits` bits times 2^exponent, where the least
 * exponent is that of the unit in which the dtype is held against integers. */
typedef struct range {
    int bits, least, greatest;
} range;

static range range_of(tg_dtype d)
{
    if (d == TG_DT_f64) return (range){53, -5, 4};
    if (d == TG_DT_f32) return (range){24, -30, 0};
    return (range){tg_dtypes[d].man_bits + 1, -24, 8};
}

/* A value that the dtype has; NaN and infinities are none. */
static double operand(tg_dtype d, uint64_t *state)
{
    const range r = range_of(d);
    const int64_t size = (int64_t)(random_bits(state) >> (64 - r.bits));
    const int exponent = r.least + (int)(random_bits(state) % (uint64_t)(r.greatest - r.least + 1));
    const double value = ldexp((double)size, exponent) * (random_bits(state) & 1 ? 1 : -1);
    const double held = is_narrow(d) ? nearest_value(d, value) : value;
    return isfinite(held) ? held : 1;
}

static wide in_units(double x, int least) { return (wide)ldexp(x, -least); }

/* `size` rounded to `bits` bits: to nearest, ties to even, or to odd. */
static double rounded_to(wide size, int bits, bool to_odd)
{
    int dropped = 0;
    while (size >> dropped >> bits) dropped++;
    if (dropped == 0) return (double)(int64_t)size;
    const wide kept = size >> dropped, rest = size - (kept << dropped),
               half = (wide)1 << (dropped - 1);
    const bool up = rest > half || (rest == half && (kept & 1));
    const wide result = to_odd ? kept | (rest != 0) : kept + up;
    return ldexp((double)(int64_t)result, dropped);
}

static double expected(tg_dtype d, double a, double b, double c)
{
    const int least = range_of(d).least;
    const wide sum =
        in_units(a, least) * in_units(b, least) + in_units(c, least) * ((wide)1 << -least);
    const bool native = d == TG_DT_f64;
    const double size = ldexp(rounded_to(sum < 0 ? -sum : sum, 53, !native), 2 * least);
    if (sum == 0) return signbit(a) != signbit(b) && signbit(c) ? -0.0 : a * b + c;
    const double exact = sum < 0 ? -size : size;
    if (d == TG_DT_f32) return (double)(float)exact;
    return native ? exact : nearest_value(d, exact);
}

static void put(tg_dtype d, double *at, size_t i, double x)
{
    if (d == TG_DT_f64)
        at[i] = x;
    else
        ((float *)(void *)at)[i] = (float)x;
}

static double got(tg_dtype d, const double *at, size_t i)
{
    return d == TG_DT_f64 ? at[i] : (double)((const float *)(const void *)at)[i];
}

static void check_dtype(const tg_elementwise *lanes, tg_dtype d, unsigned splat)
{
    static double held[3][TRIPLES], value[3][TRIPLES], r[TRIPLES];
    const void *const src[3] = {held[0], held[1], held[2]};
    const size_t count = (size_t)sampled(1 << 10, TRIPLES);
    uint64_t state = (uint64_t)d;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < count; i++) {
            value[k][i] = operand(d, &state);
            put(d, held[k], i, value[k][i]);
        }
    cr_assert(lanes_run(tg_elementwise_op(lanes, TG_OP_fma, d, d), r, src, splat, count, 0));
    for (size_t i = 0; i < count; i++) {
        double in[3];
        for (int k = 0; k < 3; k++) in[k] = value[k][splat >> k & 1 ? 0 : i];
        cr_assert(same_value(got(d, r, i), expected(d, in[0], in[1], in[2])),
                  "%s %s fma(%a, %a, %a) = %a, not %a", tg_elementwise_isa(lanes),
                  tg_dtypes[d].name, in[0], in[1], in[2], got(d, r, i),
                  expected(d, in[0], in[1], in[2]));
    }
}

Test(lanes_fma, rounds_once)
{
    for (int isa = 0; isa < LANES_ISAS; isa++) {
        const tg_elementwise *const lanes = tg_elementwise_get(lanes_isas[isa]);
        for (int d = 0; lanes != NULL && d < TG_DT_COUNT; d++)
            for (unsigned splat = 0; tg_is_float((tg_dtype)d) && splat < 8; splat++)
                if (tg_dtypes[d].special != TG_SPECIAL_E8M0) check_dtype(lanes, (tg_dtype)d, splat);
    }
}

/* Powers of two, the nearest one upward. */
Test(lanes_fma, of_powers)
{
    static const float a[] = {2, 2, 0x1p-127f, 0x1p127f, 0x1p-100f},
                       b[] = {4, 2, 0x1p-127f, 2, 0x1p-100f}, c[] = {4, 1, 0x1p-127f, 1, 8},
                       r[] = {16, 4, 0x1p-127f, NAN, 8};
    float out[5];
    const void *const src[3] = {a, b, c};
    const tg_dtype d = TG_DT_f8e8m0fnu;
    for (int isa = 0; isa < LANES_ISAS; isa++) {
        const tg_elementwise *const lanes = tg_elementwise_get(lanes_isas[isa]);
        if (lanes == NULL) continue;
        cr_assert(lanes_run(tg_elementwise_op(lanes, TG_OP_fma, d, d), out, src, 0, 5, 0));
        for (int i = 0; i < 5; i++)
            cr_assert(same_value((double)out[i], (double)r[i]), "%d: %a", i, (double)out[i]);
    }
}
