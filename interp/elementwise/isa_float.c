/* Element-wise arithmetic, rounding to integers and comparisons in the carriers f32 and f64.
 * Narrow floats use the f32 functions too and are rounded afterwards (isa_narrow.c): for +, -, *, /
 * and sqrt, an f32 result rounded again to a format of at most 11 significant bits is the exact
 * result rounded once. */
#include <math.h>

#include "interp/elementwise/elementwise_impl.h"

/* F suffixes names, T is the type, U its bits, MAN its stored mantissa bits. */

/* neg and abs change only the sign bit, also of a NaN. */
#define LANE_SIGN(F, T, U)                                                                         \
    enum { TOP_##F = 8 * sizeof(U) - 1 };                                                          \
    static inline U sign_bit_##F(T a) { return bits_of_##F(a) >> TOP_##F << TOP_##F; }             \
    static inline T neg_##F(T a) { return F##_of_bits(bits_of_##F(a) ^ (U)1 << TOP_##F); }         \
    static inline T abs_##F(T a) { return F##_of_bits(bits_of_##F(a) & ~((U)1 << TOP_##F)); }      \
    static inline T with_sign_##F(T magnitude, T a)                                                \
    {                                                                                              \
        return F##_of_bits(bits_of_##F(magnitude) | sign_bit_##F(a));                              \
    }                                                                                              \
    static inline T sign_##F(T a) { return a > 0 ? 1 : a < 0 ? -1 : a; }                           \
    static inline T copy_##F(T a) { return a; }

#define LANE_ARITHMETIC(F, T, SQRT, FMOD)                                                          \
    static inline T add_##F(T a, T b) { return a + b; }                                            \
    static inline T sub_##F(T a, T b) { return a - b; }                                            \
    static inline T mul_##F(T a, T b) { return a * b; }                                            \
    static inline T div_##F(T a, T b) { return a / b; }                                            \
    static inline T rem_##F(T a, T b) { return FMOD(a, b); }                                       \
    static inline T square_##F(T a) { return a * a; }                                              \
    static inline T sqrt_##F(T a) { return SQRT(a); }                                              \
    static inline T inverse_##F(T a) { return 1 / a; }

/* If a == b the two may be zeros of different sign: and-ed, their bits are the sign of the greater,
 * or-ed that of the lesser.  A comparison with NaN is false, which chooses b. */
#define LANE_ORDER(F, T, U)                                                                        \
    static inline T max_##F(T a, T b)                                                              \
    {                                                                                              \
        const T greater = a > b ? a : b;                                                           \
        const T equal = F##_of_bits(bits_of_##F(a) & bits_of_##F(b));                              \
        const T ordered = a == b ? equal : greater;                                                \
        return a != a ? a : ordered;                                                               \
    }                                                                                              \
    static inline T min_##F(T a, T b)                                                              \
    {                                                                                              \
        const T lesser = a < b ? a : b;                                                            \
        const T equal = F##_of_bits(bits_of_##F(a) | bits_of_##F(b));                              \
        const T ordered = a == b ? equal : lesser;                                                 \
        return a != a ? a : ordered;                                                               \
    }                                                                                              \
    static inline uint8_t eq_##F(T a, T b) { return a == b; }                                      \
    static inline uint8_t ne_##F(T a, T b) { return a != b; }                                      \
    static inline uint8_t lt_##F(T a, T b) { return a < b; }                                       \
    static inline uint8_t le_##F(T a, T b) { return a <= b; }

/* Adding and subtracting 2^MAN gives the nearest integer, ties to even, of a magnitude below 2^MAN;
 * from there on every value is an integer.  floor, ceil and away correct that integer by one step
 * if it is on the wrong side.  The result has the sign of the operand, also if it is zero. */
#define LANE_ROUNDING(F, T, MAN)                                                                   \
    static inline T whole_##F(T magnitude)                                                         \
    {                                                                                              \
        const T unit = (T)((int64_t)1 << MAN);                                                     \
        return magnitude < unit ? (magnitude + unit) - unit : magnitude;                           \
    }                                                                                              \
    static inline T down_##F(T magnitude)                                                          \
    {                                                                                              \
        const T near = whole_##F(magnitude);                                                       \
        return near > magnitude ? near - 1 : near;                                                 \
    }                                                                                              \
    static inline T up_##F(T magnitude)                                                            \
    {                                                                                              \
        const T near = whole_##F(magnitude);                                                       \
        return near < magnitude ? near + 1 : near;                                                 \
    }                                                                                              \
    static inline T floor_##F(T a)                                                                 \
    {                                                                                              \
        const T size = abs_##F(a), low = down_##F(size), high = up_##F(size);                      \
        return with_sign_##F(a < 0 ? high : low, a);                                               \
    }                                                                                              \
    static inline T ceil_##F(T a)                                                                  \
    {                                                                                              \
        const T size = abs_##F(a), low = down_##F(size), high = up_##F(size);                      \
        return with_sign_##F(a < 0 ? low : high, a);                                               \
    }                                                                                              \
    static inline T round_even_##F(T a) { return with_sign_##F(whole_##F(abs_##F(a)), a); }        \
    static inline T round_away_##F(T a)                                                            \
    {                                                                                              \
        const T size = abs_##F(a), low = down_##F(size);                                           \
        return with_sign_##F(size - low >= (T)0.5 ? low + 1 : low, a);                             \
    }

/* One step in the bits: a magnitude grows when the step leads away from zero. */
#define LANE_NEXT(F, T, U, INF)                                                                    \
    static inline uint8_t is_finite_##F(T a) { return bits_of_##F(abs_##F(a)) < (INF); }           \
    static inline T nextafter_##F(T a, T b)                                                        \
    {                                                                                              \
        const U bits = bits_of_##F(a);                                                             \
        const U outward = (U)((b > a) == (a > 0)), step = outward ? (U)1 : (U)-1;                  \
        const T from_zero = F##_of_bits(sign_bit_##F(b) | 1);                                      \
        const T next = a == 0 ? from_zero : F##_of_bits((U)(bits + step));                         \
        const T other = a == b ? b : next;                                                         \
        return a != a || b != b ? a + b : other;                                                   \
    }

/* Rounds the magnitude's bits, with the carry going into the exponent; then values above the range
 * of the exponent become inf, and those below its normal numbers zero. */
#define LANE_REDUCE(F, T, U, MAN, BIAS, INF)                                                       \
    static void lanes_reduce_precision_##F(LANES_ARGS)                                             \
    {                                                                                              \
        T *const r = dst;                                                                          \
        const T *const a = src[0];                                                                 \
        const int kept = (int)(imm & 0xff) < MAN ? (int)(imm & 0xff) : MAN;                        \
        const U unit = (U)1 << (MAN - kept), half = unit >> 1,                                     \
                bias = ((U)1 << (imm >> 8) >> 1) - 1;                                              \
        const bool narrows = bias < BIAS;                                                          \
        const U low = narrows ? (BIAS - bias + 1) << MAN : 0;                                      \
        const U high = narrows ? (BIAS + bias + 1) << MAN : (INF);                                 \
        for (size_t i = 0; i < count; i++) {                                                       \
            const T x = a[splat & 1 ? 0 : i];                                                      \
            const U bits = bits_of_##F(x), size = bits_of_##F(abs_##F(x)), sign = bits ^ size;     \
            const U odd = size / unit & 1;                                                         \
            const U near = half ? (size + half - 1 + odd) & ~(unit - 1) : size;                    \
            const U above = near >= high ? (INF) : near;                                           \
            const U reduced = near < low ? 0 : above;                                              \
            r[i] = size > (INF) ? x : F##_of_bits(sign | reduced);                                 \
        }                                                                                          \
    }

#define LOOPS(F, T)                                                                                \
    LANES_1(lanes_copy_##F, T, T, copy_##F)                                                        \
    LANES_1(lanes_neg_##F, T, T, neg_##F)                                                          \
    LANES_1(lanes_abs_##F, T, T, abs_##F)                                                          \
    LANES_1(lanes_sign_##F, T, T, sign_##F)                                                        \
    LANES_1(lanes_square_##F, T, T, square_##F)                                                    \
    LANES_1(lanes_sqrt_##F, T, T, sqrt_##F)                                                        \
    LANES_1(lanes_floor_##F, T, T, floor_##F)                                                      \
    LANES_1(lanes_ceil_##F, T, T, ceil_##F)                                                        \
    LANES_1(lanes_round_even_##F, T, T, round_even_##F)                                            \
    LANES_1(lanes_round_away_##F, T, T, round_away_##F)                                            \
    LANES_1(lanes_is_finite_##F, uint8_t, T, is_finite_##F)                                        \
    LANES_2(lanes_add_##F, T, T, add_##F)                                                          \
    LANES_2(lanes_sub_##F, T, T, sub_##F)                                                          \
    LANES_2(lanes_mul_##F, T, T, mul_##F)                                                          \
    LANES_2(lanes_div_##F, T, T, div_##F)                                                          \
    LANES_2(lanes_rem_##F, T, T, rem_##F)                                                          \
    LANES_2(lanes_max_##F, T, T, max_##F)                                                          \
    LANES_2(lanes_min_##F, T, T, min_##F)                                                          \
    LANES_2(lanes_nextafter_##F, T, T, nextafter_##F)                                              \
    LANES_2(lanes_eq_##F, uint8_t, T, eq_##F)                                                      \
    LANES_2(lanes_ne_##F, uint8_t, T, ne_##F)                                                      \
    LANES_2(lanes_lt_##F, uint8_t, T, lt_##F)                                                      \
    LANES_2(lanes_le_##F, uint8_t, T, le_##F)                                                      \
    LANES_SWAPPED(lanes_gt_##F, lanes_lt_##F)                                                      \
    LANES_SWAPPED(lanes_ge_##F, lanes_le_##F)                                                      \
    LANES_CLAMP(lanes_clamp_##F, T, max_##F, min_##F)                                              \
    LANES_INTEGER_POW(lanes_integer_pow_##F, T, mul_##F, inverse_##F)                              \
    /* `imm` is the number of the value of the attribute `rounding`: even, away. */                \
    static void lanes_round_##F(LANES_ARGS)                                                        \
    {                                                                                              \
        if (imm == 0)                                                                              \
            lanes_round_even_##F(dst, src, splat, count, imm);                                     \
        else                                                                                       \
            lanes_round_away_##F(dst, src, splat, count, imm);                                     \
    }

#define FLOAT(F, T, U, MAN, BIAS, INF, SQRT, FMOD)                                                 \
    LANE_SIGN(F, T, U)                                                                             \
    LANE_ARITHMETIC(F, T, SQRT, FMOD)                                                              \
    LANE_ORDER(F, T, U)                                                                            \
    LANE_ROUNDING(F, T, MAN)                                                                       \
    LANE_NEXT(F, T, U, INF)                                                                        \
    LOOPS(F, T)                                                                                    \
    LANE_REDUCE(F, T, U, MAN, BIAS, INF)

FLOAT(f32, float, uint32_t, 23, 127u, 0x7f800000, sqrtf, fmodf)
FLOAT(f64, double, uint64_t, 52, UINT64_C(1023), 0x7ff0000000000000, sqrt, fmod)

#define BOTH(f)                                                                                    \
    {                                                                                              \
        [TG_C_f32] = f##_f32, [TG_C_f64] = f##_f64                                                 \
    }

const tg_by_carrier TG_ISA_NAME(tg_elementwise_floats)[TG_OP_COUNT] = {
    [TG_OP_neg] = BOTH(lanes_neg),
    [TG_OP_abs] = BOTH(lanes_abs),
    [TG_OP_sign] = BOTH(lanes_sign),
    [TG_OP_square] = BOTH(lanes_square),
    [TG_OP_integer_pow] = BOTH(lanes_integer_pow),
    [TG_OP_sqrt] = BOTH(lanes_sqrt),
    [TG_OP_floor] = BOTH(lanes_floor),
    [TG_OP_ceil] = BOTH(lanes_ceil),
    [TG_OP_round] = BOTH(lanes_round),
    [TG_OP_reduce_precision] = BOTH(lanes_reduce_precision),
    [TG_OP_is_finite] = BOTH(lanes_is_finite),
    [TG_OP_assume_multiple] = BOTH(lanes_copy),
    [TG_OP_add] = BOTH(lanes_add),
    [TG_OP_sub] = BOTH(lanes_sub),
    [TG_OP_mul] = BOTH(lanes_mul),
    [TG_OP_div] = BOTH(lanes_div),
    [TG_OP_rem] = BOTH(lanes_rem),
    [TG_OP_max] = BOTH(lanes_max),
    [TG_OP_min] = BOTH(lanes_min),
    [TG_OP_nextafter] = BOTH(lanes_nextafter),
    [TG_OP_eq] = BOTH(lanes_eq),
    [TG_OP_ne] = BOTH(lanes_ne),
    [TG_OP_lt] = BOTH(lanes_lt),
    [TG_OP_le] = BOTH(lanes_le),
    [TG_OP_gt] = BOTH(lanes_gt),
    [TG_OP_ge] = BOTH(lanes_ge),
    [TG_OP_clamp] = BOTH(lanes_clamp),
};
