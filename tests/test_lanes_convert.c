/* convert, load and store: narrow floats at and next to every midpoint of their values, ints at the
 * ends of every range. */
#include <criterion/criterion.h>

#include "lanes_oracle.h"
#include "sampled.h"
#include "ir/undefined.h"

enum { ALL_CODES = 1 << 16 };

static double read_float(tg_dtype d, const void *at, size_t i)
{
    return d == TG_DT_f64 ? ((const double *)at)[i] : (double)((const float *)at)[i];
}

/* -- load and store -- */

static uint32_t read_code(tg_dtype d, const void *at, size_t i)
{
    return tg_dtypes[d].bytes == 1 ? ((const uint8_t *)at)[i] : ((const uint16_t *)at)[i];
}

static void check_codes(const tg_elementwise *lanes, tg_dtype d)
{
    static uint16_t memory[ALL_CODES], again[ALL_CODES];
    static float value[ALL_CODES];
    const size_t n = (size_t)1 << tg_dtypes[d].bits;
    const void *const from[1] = {memory}, *const to[1] = {value};
    for (size_t k = 0; k < n; k++) {
        if (tg_dtypes[d].bytes == 1)
            ((uint8_t *)memory)[k] = (uint8_t)k;
        else
            memory[k] = (uint16_t)k;
    }
    tg_elementwise_load(lanes, d)(value, from, 0, n, 0);
    tg_elementwise_store(lanes, d)(again, to, 0, n, 0);
    for (size_t k = 0; k < n; k++) {
        const double e = code_value(d, (uint32_t)k);
        cr_assert(same_value((double)value[k], e), "%s code %zx loads as %a", tg_dtypes[d].name, k,
                  (double)value[k]);
        const double back = code_value(d, read_code(d, again, k));
        cr_assert(isnan(e) ? isnan(back) : read_code(d, again, k) == k,
                  "%s code %zx is stored as %x", tg_dtypes[d].name, k, read_code(d, again, k));
    }
}

Test(lanes_convert, every_code_loads_and_stores)
{
    for (int isa = 0; isa < LANES_ISAS; isa++) {
        const tg_elementwise *const lanes = tg_elementwise_get(lanes_isas[isa]);
        for (int d = 0; lanes != NULL && d < TG_DT_COUNT; d++)
            if (is_narrow((tg_dtype)d)) check_codes(lanes, (tg_dtype)d);
    }
}

Test(lanes_convert, four_bits_load_sign_extended)
{
    const tg_elementwise *const lanes = tg_elementwise_get(NULL);
    const uint8_t memory[4] = {0x0d, 0xfd, 0x07, 0x08};
    const int8_t i4[4] = {-3, -3, 7, -8};
    const uint8_t u4[4] = {13, 13, 7, 8};
    const void *const src[1] = {memory};
    uint8_t r[4];
    tg_elementwise_load(lanes, TG_DT_i4)(r, src, 0, 4, 0);
    cr_assert_arr_eq(r, i4, 4);
    tg_elementwise_load(lanes, TG_DT_u4)(r, src, 0, 4, 0);
    cr_assert_arr_eq(r, u4, 4);
    cr_assert_null(tg_elementwise_load(lanes, TG_DT_f32));
    cr_assert_null(tg_elementwise_store(lanes, TG_DT_bool));
}

/* -- to narrow floats -- */

/* Around each value and each midpoint of `d`, in steps so small that a second rounding would show.
 */
static size_t near_midpoints(tg_dtype d, bool single, double *out)
{
    const uint32_t last = greatest_finite(d) + 1, step = last > 256 ? 37 : 1;
    const double tiny = single ? 0x1p-23 : 0x1p-52;
    size_t n = 0;
    for (uint32_t k = 0; k < last; k += step) {
        const double low = plain_value(d, k), high = plain_value(d, k + 1);
        const double points[5] = {low, high, (low + high) / 2, low / 4, high + (high - low) / 2};
        for (int p = 0; p < 5; p++)
            for (int sign = -1; sign <= 1; sign += 2)
                for (int off = -1; off <= 1; off++) out[n++] = sign * points[p] * (1 + off * tiny);
    }
    const double extremes[8] = {ORACLE_INF,
                                -ORACLE_INF,
                                ORACLE_NAN,
                                0x1.fffffep127,
                                0x1p-149,
                                -0x1p-149,
                                single ? 0x1p-140 : 0x1p-1074,
                                single ? 0x1p100 : 0x1p1000};
    for (int p = 0; p < 8; p++) out[n++] = extremes[p];
    return n;
}

static void check_from_float(const tg_elementwise *lanes, tg_dtype from, tg_dtype to)
{
    static double points[40000], source[40000];
    static float r[40000];
    const void *const src[1] = {source};
    const size_t n = near_midpoints(to, from == TG_DT_f32, points);
    for (size_t k = 0; k < n; k++) {
        if (from == TG_DT_f32)
            ((float *)source)[k] = (float)points[k];
        else
            source[k] = points[k];
    }
    lanes_run(tg_elementwise_convert(lanes, from, to), r, src, 0, n, 0);
    for (size_t k = 0; k < n; k++) {
        const double v = read_float(from, source, k);
        cr_assert(same_value((double)r[k], nearest_value(to, v)), "%s %s(%a) as %s = %a",
                  tg_elementwise_isa(lanes), tg_dtypes[from].name, v, tg_dtypes[to].name,
                  (double)r[k]);
    }
}

Test(lanes_convert, floats_to_narrow_round_once)
{
    for (int isa = 0; isa < LANES_ISAS; isa++) {
        const tg_elementwise *const lanes = tg_elementwise_get(lanes_isas[isa]);
        for (int d = 0; lanes != NULL && d < TG_DT_COUNT; d++) {
            if (!is_narrow((tg_dtype)d)) continue;
            check_from_float(lanes, TG_DT_f32, (tg_dtype)d);
            check_from_float(lanes, TG_DT_f64, (tg_dtype)d);
        }
    }
}

/* 2^k * (an odd number of 12 bits), plus or minus 1: nearest to a midpoint of f16, bf16 and fp8. */
static size_t ints_near_midpoints(uint64_t *out)
{
    size_t n = 0;
    for (int k = 0; k < 53; k++)
        for (uint64_t odd = 1; odd < 4096; odd += 2 * (1 + odd / 9))
            for (int off = -1; off <= 1; off++) out[n++] = (odd << k) + (uint64_t)(int64_t)off;
    return n;
}

/* Exact for comparison: the top bits and whether anything is below them. */
static double sticky(uint64_t size)
{
    return size < (uint64_t)1 << 50
               ? (double)size
               : (double)((size >> 20 << 20) | (uint64_t)((size & 0xfffff) != 0) << 20);
}

static void check_from_int64(const tg_elementwise *lanes, tg_dtype to)
{
    static uint64_t a[40000];
    static int32_t low[40000];
    static float from_u[40000], from_i[40000], from_i32[40000];
    const void *const src[1] = {a}, *const src_low[1] = {low};
    const size_t n = ints_near_midpoints(a);
    cr_assert(n <= 40000);
    for (size_t k = 0; k < n; k++) low[k] = (int32_t)(uint32_t)a[k];
    lanes_run(tg_elementwise_convert(lanes, TG_DT_u64, to), from_u, src, 0, n, 0);
    lanes_run(tg_elementwise_convert(lanes, TG_DT_i64, to), from_i, src, 0, n, 0);
    lanes_run(tg_elementwise_convert(lanes, TG_DT_i32, to), from_i32, src_low, 0, n, 0);
    for (size_t k = 0; k < n; k++) {
        const bool negative = a[k] >> 63 != 0;
        const double size = sticky(negative ? 0 - a[k] : a[k]);
        cr_assert(same_value((double)from_u[k], nearest_value(to, sticky(a[k]))), "u64 %llx as %s",
                  (unsigned long long)a[k], tg_dtypes[to].name);
        cr_assert(same_value((double)from_i[k], nearest_value(to, negative ? -size : size)),
                  "i64 %llx as %s", (unsigned long long)a[k], tg_dtypes[to].name);
        cr_assert(same_value((double)from_i32[k], nearest_value(to, low[k])), "i32 %d as %s",
                  low[k], tg_dtypes[to].name);
    }
}

Test(lanes_convert, ints_to_narrow_round_once)
{
    for (int isa = 0; isa < LANES_ISAS; isa++) {
        const tg_elementwise *const lanes = tg_elementwise_get(lanes_isas[isa]);
        for (int d = 0; lanes != NULL && d < TG_DT_COUNT; d++)
            if (is_narrow((tg_dtype)d)) check_from_int64(lanes, (tg_dtype)d);
    }
}

/* u64 to f32 by hand, ties to even. */
static float u64_to_f32(uint64_t a)
{
    int shift = 0;
    while (a >> shift >= (uint64_t)1 << 24) shift++;
    uint64_t top = a >> shift;
    const uint64_t rest = a - (top << shift), half = shift > 0 ? (uint64_t)1 << (shift - 1) : 1;
    if (rest > half || (rest == half && shift > 0 && (top & 1))) top++;
    return ldexpf((float)top, shift);
}

Test(lanes_convert, int64_to_f32_rounds_once)
{
    static uint64_t a[4096];
    static float r[4096];
    const void *const src[1] = {a};
    uint64_t seed = 3;
    for (size_t k = 0; k < 4096; k++) {
        const uint64_t tie = (random_bits(&seed) | (uint64_t)1 << 63) & ~(uint64_t)0xffffffffff;
        a[k] = (tie | (uint64_t)1 << 39) + (k & 3) - 1;
        a[k] >>= random_bits(&seed) % 40;
    }
    for (int isa = 0; isa < LANES_ISAS; isa++) {
        const tg_elementwise *const lanes = tg_elementwise_get(lanes_isas[isa]);
        if (lanes == NULL) continue;
        lanes_run(tg_elementwise_convert(lanes, TG_DT_u64, TG_DT_f32), r, src, 0, 4096, 0);
        for (size_t k = 0; k < 4096; k++)
            cr_assert(r[k] == u64_to_f32(a[k]), "%s %llx", lanes_isas[isa],
                      (unsigned long long)a[k]);
        lanes_run(tg_elementwise_convert(lanes, TG_DT_i64, TG_DT_f32), r, src, 0, 4096, 0);
        for (size_t k = 0; k < 4096; k++) {
            const float e = a[k] >> 63 ? -u64_to_f32(0 - a[k]) : u64_to_f32(a[k]);
            cr_assert(r[k] == e, "%s %llx", lanes_isas[isa], (unsigned long long)a[k]);
        }
    }
}

/* -- floats to ints and bool -- */

static int64_t read_int(tg_dtype d, const void *at)
{
    switch (tg_carrier_of(d)) {
#define X(id, type)                                                                                \
    case TG_C_##id: return (int64_t)((const type *)at)[0];
        X(b8, uint8_t)
        X(i8, int8_t)
        X(i16, int16_t)
        X(i32, int32_t)
        X(i64, int64_t)
        X(u8, uint8_t)
        X(u16, uint16_t)
        X(u32, uint32_t)
        X(u64, uint64_t)
#undef X
    default: return 0;
    }
}

static int64_t saturated(tg_dtype d, double v)
{
    const int bits = tg_dtypes[d].bits - (tg_is_signed(d) ? 1 : 0);
    const double above = ldexp(1, bits), least = tg_is_signed(d) ? -above : 0;
    if (isnan(v)) return 0;
    if (v >= above) return bits == 64 ? -1 : (int64_t)(((uint64_t)1 << bits) - 1);
    if (v < least) return tg_is_signed(d) ? (int64_t)(0 - ((uint64_t)1 << bits)) : 0;
    return d == TG_DT_u64 ? (int64_t)(uint64_t)v : (int64_t)v;
}

static void check_to_int(const tg_elementwise *lanes, tg_dtype d, double v)
{
    const float single = (float)v;
    const void *const from_f64[1] = {&v}, *const from_f32[1] = {&single};
    uint64_t r;
    lanes_run(tg_elementwise_convert(lanes, TG_DT_f64, d), &r, from_f64, 0, 1, 0);
    cr_assert_eq(read_int(d, &r), saturated(d, v), "%a as %s", v, tg_dtypes[d].name);
    lanes_run(tg_elementwise_convert(lanes, TG_DT_f32, d), &r, from_f32, 0, 1, 0);
    cr_assert_eq(read_int(d, &r), saturated(d, (double)single), "f32 %a as %s", v,
                 tg_dtypes[d].name);
    lanes_run(tg_elementwise_convert(lanes, TG_DT_bf16, d), &r, from_f32, 0, 1, 0);
    cr_assert_eq(read_int(d, &r), saturated(d, (double)single), "bf16 %a as %s", v,
                 tg_dtypes[d].name);
}

Test(lanes_convert, floats_to_ints_truncate_and_saturate)
{
    const double fixed[] = {0, 0.5, 0.999, 1.5, ORACLE_INF, ORACLE_NAN, 1e300, 0x1p-1074, 0x1p-149};
    const tg_elementwise *const lanes = tg_elementwise_get(NULL);
    for (int d = 0; d < TG_DT_COUNT; d++) {
        if (!tg_is_int((tg_dtype)d)) continue;
        for (int sign = -1; sign <= 1; sign += 2) {
            for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
                check_to_int(lanes, (tg_dtype)d, sign * fixed[k]);
            for (int bit = 2; bit <= 65; bit++)
                for (int off = -4; off <= 4; off++)
                    check_to_int(lanes, (tg_dtype)d, sign * (ldexp(1, bit) + 0.5 * off));
        }
    }
}

Test(lanes_convert, to_bool_is_whether_not_zero)
{
    const tg_elementwise *const lanes = tg_elementwise_get(NULL);
    const float f32[6] = {0, -0.0f, 0x1p-149f, NAN, -3, INFINITY};
    const double f64[6] = {0, -0.0, 0x1p-1074, ORACLE_NAN, -3, ORACLE_INF};
    const uint8_t expected[6] = {0, 0, 1, 1, 1, 1};
    const int64_t i64[3] = {0, (int64_t)1 << 40, -1};
    const void *const a[1] = {f32}, *const b[1] = {f64}, *const c[1] = {i64},
                      *const e[1] = {expected};
    uint8_t r[6];
    float back[6];
    lanes_run(tg_elementwise_convert(lanes, TG_DT_f32, TG_DT_bool), r, a, 0, 6, 0);
    cr_assert_arr_eq(r, expected, 6);
    lanes_run(tg_elementwise_convert(lanes, TG_DT_f64, TG_DT_bool), r, b, 0, 6, 0);
    cr_assert_arr_eq(r, expected, 6);
    lanes_run(tg_elementwise_convert(lanes, TG_DT_i64, TG_DT_bool), r, c, 0, 3, 0);
    cr_assert(r[0] == 0 && r[1] == 1 && r[2] == 1);
    lanes_run(tg_elementwise_convert(lanes, TG_DT_bool, TG_DT_f16), back, e, 0, 6, 0);
    for (int k = 0; k < 6; k++) cr_assert(back[k] == (expected[k] != 0 ? 1.0f : 0.0f));
}

/* -- ints to ints -- */

Test(lanes_convert, ints_wrap)
{
    const tg_elementwise *const lanes = tg_elementwise_get(NULL);
    uint64_t seed = 9, r;
    for (int from = 0; from < TG_DT_COUNT; from++) {
        for (int to = 0; to < TG_DT_COUNT; to++) {
            if (!tg_is_int((tg_dtype)from) || !tg_is_int((tg_dtype)to)) continue;
            for (int k = 0; k < 50; k++) {
                uint64_t value = random_bits(&seed);
                const void *const src[1] = {&value};
                const uint64_t span = (uint64_t)1 << (tg_dtypes[from].bits & 7);
                if (tg_dtypes[from].bits < 8)
                    value = (value & (span - 1)) - (tg_is_signed((tg_dtype)from) ? span / 2 : 0);
                lanes_run(tg_elementwise_convert(lanes, (tg_dtype)from, (tg_dtype)to), &r, src, 0,
                          1, 0);
                const uint64_t v = (uint64_t)read_int((tg_dtype)from, &value);
                const int unused = 64 - tg_dtypes[to].bits;
                const int64_t e = tg_is_signed((tg_dtype)to) ? (int64_t)(v << unused) >> unused
                                                             : (int64_t)(v << unused >> unused);
                cr_assert_eq(read_int((tg_dtype)to, &r), e, "%s %lld as %s", tg_dtypes[from].name,
                             (long long)v, tg_dtypes[to].name);
            }
        }
    }
}

/* -- every pair of dtypes: every value of a source of at most 16 bits, a sample of wider ones -- */

/* Every value of `d` in its carrier; how many. */
static size_t every_value(tg_dtype d, void *out)
{
    const size_t n = (size_t)1 << tg_dtypes[d].bits;
    const int unused = 64 - tg_dtypes[d].bits;
    for (size_t k = 0; k < n; k++) {
        const uint64_t code =
            tg_is_signed(d) ? (uint64_t)((int64_t)((uint64_t)k << unused) >> unused) : k;
        if (tg_is_float(d))
            ((float *)out)[k] = (float)code_value(d, (uint32_t)k);
        else if (tg_dtypes[d].bytes == 1)
            ((uint8_t *)out)[k] = (uint8_t)code;
        else
            ((uint16_t *)out)[k] = (uint16_t)code;
    }
    return n;
}

/* ALL_CODES values of a wider source that a double holds: floats of every sign and exponent, ints of every
 * length. */
static void sample_of_values(tg_dtype d, void *out)
{
    uint64_t state = 5;
    for (uint32_t k = 0; k < ALL_CODES; k++) {
        const uint64_t bits = random_bits(&state);
        if (d == TG_DT_f64)
            ((double *)out)[k] =
                f64_of_bits((bits & 0x000fffffffffffff) | (uint64_t)(k % 4096) << 52);
        else if (d == TG_DT_f32)
            ((float *)out)[k] = f32_of_bits((uint32_t)(bits & 0x7fffff) | k % 512 << 23);
        else
            ((uint32_t *)out)[k] = (uint32_t)bits >> k % 32;
    }
}

static double carried_value(tg_dtype d, const void *at, size_t i)
{
    if (tg_is_float(d)) return read_float(d, at, i);
    return (double)read_int(d, (const char *)at + i * tg_carrier_bytes[tg_carrier_of(d)]);
}

/* Whether lane i of `r` is the value `v`, whose source is `from`, converted to `to`. */
static bool is_converted(tg_dtype from, tg_dtype to, double v, const void *r, size_t i)
{
    if (tg_is_float(to))
        return same_value(read_float(to, r, i), to == TG_DT_f64 ? v : nearest_value(to, v));
    const int64_t got = read_int(to, (const char *)r + i * tg_carrier_bytes[tg_carrier_of(to)]);
    if (to == TG_DT_bool) return got == (v != 0);
    if (tg_is_float(from)) return got == saturated(to, v);
    const int unused = 64 - tg_dtypes[to].bits;
    const uint64_t high = (uint64_t)(int64_t)v << unused;
    return got == (tg_is_signed(to) ? (int64_t)high >> unused : (int64_t)(high >> unused));
}

static void check_values(const tg_elementwise *lanes, tg_dtype from)
{
    static uint64_t source[ALL_CODES], r[ALL_CODES];
    const void *const src[1] = {source};
    size_t n = ALL_CODES;
    if (tg_dtypes[from].bits <= 16)
        n = every_value(from, source);
    else
        sample_of_values(from, source);
    for (int to = 0; to < TG_DT_COUNT; to++) {
        lanes_run(tg_elementwise_convert(lanes, from, (tg_dtype)to), r, src, 0, n, 0);
        for (size_t i = 0; i < n; i++) {
            const double v = carried_value(from, source, i);
            const bool same_nan = from == (tg_dtype)to && isnan(v);
            cr_assert(same_nan || is_converted(from, (tg_dtype)to, v, r, i), "%s %s %a to %s",
                      tg_elementwise_isa(lanes), tg_dtypes[from].name, v, tg_dtypes[to].name);
        }
    }
}

Test(lanes_convert, every_dtype_to_every_dtype)
{
    for (int isa = 0; isa < LANES_ISAS; isa++) {
        const tg_elementwise *const lanes = tg_elementwise_get(lanes_isas[isa]);
        for (int d = sampled(0, isa); lanes != NULL && d < TG_DT_COUNT; d += sampled(1, LANES_ISAS))
            if (tg_dtypes[d].bits <= 32 || d == TG_DT_f64) check_values(lanes, (tg_dtype)d);
    }
}

/* -- the undefined value -- */

Test(lanes_convert, undefined_is_nan_or_least)
{
    const tg_elementwise *const lanes = tg_elementwise_get(NULL);
    for (int d = 0; d < TG_DT_COUNT; d++) {
        uint64_t memory[3] = {0, 0, 0x77}, carrier[3] = {0, 0, 0x77}, loaded = 0;
        const void *const src[1] = {memory};
        tg_fill_undefined_memory(memory, (tg_dtype)d, 2);
        tg_fill_undefined_carrier(carrier, (tg_dtype)d, 2);
        tg_elementwise_fn *const load = tg_elementwise_load(lanes, (tg_dtype)d);
        if (load != NULL)
            load(&loaded, src, 0, 1, 0);
        else
            loaded = memory[0];
        if (d == TG_DT_f4e2m1fn) {
            cr_assert(read_float((tg_dtype)d, &loaded, 0) == -6 &&
                      read_float((tg_dtype)d, carrier, 1) == -6);
        } else if (tg_is_float((tg_dtype)d)) {
            cr_assert(isnan(read_float((tg_dtype)d, &loaded, 0)) &&
                      isnan(read_float((tg_dtype)d, carrier, 1)));
        } else {
            const int64_t least = tg_is_signed((tg_dtype)d) ? saturated((tg_dtype)d, -1e300) : 0;
            cr_assert(read_int((tg_dtype)d, &loaded) == least &&
                      read_int((tg_dtype)d, carrier) == least);
        }
        cr_assert(memory[2] == 0x77 && carrier[2] == 0x77);
    }
}
