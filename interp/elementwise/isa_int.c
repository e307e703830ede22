/* Element-wise arithmetic, bit operations and comparisons of integers and bools. */
#include <limits.h>

#include "interp/elementwise/elementwise_impl.h"

/* -- one lane -- U and S are the unsigned and signed type of WIDTH bits. `1u *` keeps products of
 * narrow types out of int, where they could overflow. */

#define LANE_BITS(WIDTH, U, S)                                                                     \
    static inline U copy_##WIDTH(U a) { return a; }                                                \
    static inline U neg_##WIDTH(U a) { return (U)(0u - a); }                                       \
    static inline U not_##WIDTH(U a) { return (U)~a; }                                             \
    static inline U add_##WIDTH(U a, U b) { return (U)(a + b); }                                   \
    static inline U sub_##WIDTH(U a, U b) { return (U)(a - b); }                                   \
    static inline U mul_##WIDTH(U a, U b) { return (U)(1u * a * b); }                              \
    static inline U square_##WIDTH(U a) { return (U)(1u * a * a); }                                \
    static inline U and_##WIDTH(U a, U b) { return (U)(a & b); }                                   \
    static inline U or_##WIDTH(U a, U b) { return (U)(a | b); }                                    \
    static inline U xor_##WIDTH(U a, U b) { return (U)(a ^ b); }                                   \
    static inline uint8_t eq_##WIDTH(U a, U b) { return a == b; }                                  \
    static inline uint8_t ne_##WIDTH(U a, U b) { return a != b; }                                  \
    static inline U shl_##WIDTH(U a, U b)                                                          \
    {                                                                                              \
        return (U)(b < WIDTH ? 1u * a << (b & (WIDTH - 1)) : 0);                                   \
    }                                                                                              \
    static inline U shr_##WIDTH(U a, U b) { return (U)(b < WIDTH ? a >> (b & (WIDTH - 1)) : 0); }  \
    static inline U sar_##WIDTH(U a, U b) { return (U)((S)a >> (b < WIDTH ? b : WIDTH - 1)); }     \
    /* Sums of neighbours: pairs, nibbles, bytes, then whole bytes (shifts too wide are by 0). */  \
    static inline U population_count_##WIDTH(U a)                                                  \
    {                                                                                              \
        const U pairs = (U)(a - ((a >> 1) & (U)0x5555555555555555));                               \
        const U nibbles =                                                                          \
            (U)((pairs & (U)0x3333333333333333) + ((pairs >> 2) & (U)0x3333333333333333));         \
        U sum = (U)((nibbles + (nibbles >> 4)) & (U)0x0f0f0f0f0f0f0f0f);                           \
        if (WIDTH > 8) sum = (U)(sum + (sum >> (WIDTH > 8 ? 8 : 0)));                              \
        if (WIDTH > 16) sum = (U)(sum + (sum >> (WIDTH > 16 ? 16 : 0)));                           \
        if (WIDTH > 32) sum = (U)(sum + (sum >> (WIDTH > 32 ? 32 : 0)));                           \
        return (U)(sum & 0x7f);                                                                    \
    }                                                                                              \
    /* Sets every bit below the highest one, and counts the others. */                             \
    static inline U clz_##WIDTH(U a)                                                               \
    {                                                                                              \
        a = (U)(a | a >> 1);                                                                       \
        a = (U)(a | a >> 2);                                                                       \
        a = (U)(a | a >> 4);                                                                       \
        if (WIDTH > 8) a = (U)(a | a >> (WIDTH > 8 ? 8 : 0));                                      \
        if (WIDTH > 16) a = (U)(a | a >> (WIDTH > 16 ? 16 : 0));                                   \
        if (WIDTH > 32) a = (U)(a | a >> (WIDTH > 32 ? 32 : 0));                                   \
        return population_count_##WIDTH((U)~a);                                                    \
    }

/* The high half of a product, by a type WIDE of twice the width. */
#define LANE_HIGH(K, WIDTH, T, WIDE)                                                               \
    static inline T mul_high_##K(T a, T b) { return (T)((WIDE)a * (WIDE)b >> WIDTH); }

/* Of 64 bits: the four products of halves; the middle ones carry into the high half.  A negative
 * operand stands for itself + 2^64. */
static inline uint64_t mul_high_u64(uint64_t a, uint64_t b)
{
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), low = a0 * b1 + (uint32_t)middle;
    return a1 * b1 + (middle >> 32) + (low >> 32);
}
static inline int64_t mul_high_s64(int64_t a, int64_t b)
{
    const uint64_t high = mul_high_u64((uint64_t)a, (uint64_t)b);
    return (int64_t)(high - (a < 0 ? (uint64_t)b : 0) - (b < 0 ? (uint64_t)a : 0));
}

/* T is the type suffixed by K (s8, u8, ...). */
#define LANE_ORDER(K, T)                                                                           \
    static inline T max_##K(T a, T b) { return a > b ? a : b; }                                    \
    static inline T min_##K(T a, T b) { return a < b ? a : b; }                                    \
    static inline uint8_t lt_##K(T a, T b) { return a < b; }                                       \
    static inline uint8_t le_##K(T a, T b) { return a <= b; }

/* Q is a type in which a quotient is exact after truncation and whose division vectorises: float
 * for 8 and 16 bits, double for 32 (a / b is at least 1 / b away from an integer that it does not
 * reach, which is more than the rounding error).  Divisors that would trap are replaced by 1: least
 * / 1 is also least / -1. */
#define LANE_SIGNED(WIDTH, U, S, Q, LEAST)                                                         \
    static inline S sign_s##WIDTH(S a) { return (S)((a > 0) - (a < 0)); }                          \
    static inline S abs_s##WIDTH(S a) { return (S)(a < 0 ? (U)(0u - (U)a) : (U)a); }               \
    static inline S mul_s##WIDTH(S a, S b) { return (S)mul_##WIDTH((U)a, (U)b); }                  \
    static inline S divisor_s##WIDTH(S a, S b)                                                     \
    {                                                                                              \
        return (S)(((b == 0) | ((a == LEAST) & (b == -1))) ? 1 : b);                               \
    }                                                                                              \
    static inline S div_s##WIDTH(S a, S b)                                                         \
    {                                                                                              \
        const S quotient = (S)((Q)a / (Q)divisor_s##WIDTH(a, b));                                  \
        return (S)(b == 0 ? -1 : quotient);                                                        \
    }                                                                                              \
    static inline S rem_s##WIDTH(S a, S b)                                                         \
    {                                                                                              \
        const S d = divisor_s##WIDTH(a, b), quotient = (S)((Q)a / (Q)d);                           \
        const S rest = (S)((U)a - 1u * (U)quotient * (U)d);                                        \
        return (S)(b == 0 ? a : rest);                                                             \
    }                                                                                              \
    static inline S inverse_s##WIDTH(S a) { return div_s##WIDTH(1, a); }

#define LANE_UNSIGNED(WIDTH, U, Q)                                                                 \
    static inline U sign_u##WIDTH(U a) { return (U)(a != 0); }                                     \
    static inline U abs_u##WIDTH(U a) { return a; }                                                \
    static inline U mul_u##WIDTH(U a, U b) { return mul_##WIDTH(a, b); }                           \
    static inline U div_u##WIDTH(U a, U b)                                                         \
    {                                                                                              \
        const U quotient = (U)((Q)a / (Q)(U)(b == 0 ? 1 : b));                                     \
        return (U)(b == 0 ? (U)-1 : quotient);                                                     \
    }                                                                                              \
    static inline U rem_u##WIDTH(U a, U b)                                                         \
    {                                                                                              \
        const U d = (U)(b == 0 ? 1 : b), quotient = (U)((Q)a / (Q)d);                              \
        const U rest = (U)(a - 1u * quotient * d);                                                 \
        return (U)(b == 0 ? a : rest);                                                             \
    }                                                                                              \
    static inline U inverse_u##WIDTH(U a) { return div_u##WIDTH(1, a); }

/* -- the loops -- */

#define LOOPS_BITS(WIDTH, U)                                                                       \
    LANES_1(lanes_copy_##WIDTH, U, U, copy_##WIDTH)                                                \
    LANES_1(lanes_neg_##WIDTH, U, U, neg_##WIDTH)                                                  \
    LANES_1(lanes_not_##WIDTH, U, U, not_##WIDTH)                                                  \
    LANES_1(lanes_square_##WIDTH, U, U, square_##WIDTH)                                            \
    LANES_1(lanes_population_count_##WIDTH, U, U, population_count_##WIDTH)                        \
    LANES_1(lanes_clz_##WIDTH, U, U, clz_##WIDTH)                                                  \
    LANES_2(lanes_add_##WIDTH, U, U, add_##WIDTH)                                                  \
    LANES_2(lanes_sub_##WIDTH, U, U, sub_##WIDTH)                                                  \
    LANES_2(lanes_mul_##WIDTH, U, U, mul_##WIDTH)                                                  \
    LANES_2(lanes_and_##WIDTH, U, U, and_##WIDTH)                                                  \
    LANES_2(lanes_or_##WIDTH, U, U, or_##WIDTH)                                                    \
    LANES_2(lanes_xor_##WIDTH, U, U, xor_##WIDTH)                                                  \
    LANES_2(lanes_shl_##WIDTH, U, U, shl_##WIDTH)                                                  \
    LANES_2(lanes_shr_##WIDTH, U, U, shr_##WIDTH)                                                  \
    LANES_2(lanes_sar_##WIDTH, U, U, sar_##WIDTH)                                                  \
    LANES_2(lanes_eq_##WIDTH, uint8_t, U, eq_##WIDTH)                                              \
    LANES_2(lanes_ne_##WIDTH, uint8_t, U, ne_##WIDTH)

#define LOOPS_VALUES(K, T)                                                                         \
    LANES_1(lanes_abs_##K, T, T, abs_##K)                                                          \
    LANES_1(lanes_sign_##K, T, T, sign_##K)                                                        \
    LANES_2(lanes_div_##K, T, T, div_##K)                                                          \
    LANES_2(lanes_mul_high_##K, T, T, mul_high_##K)                                                \
    LANES_2(lanes_rem_##K, T, T, rem_##K)                                                          \
    LANES_2(lanes_max_##K, T, T, max_##K)                                                          \
    LANES_2(lanes_min_##K, T, T, min_##K)                                                          \
    LANES_2(lanes_lt_##K, uint8_t, T, lt_##K)                                                      \
    LANES_2(lanes_le_##K, uint8_t, T, le_##K)                                                      \
    LANES_SWAPPED(lanes_gt_##K, lanes_lt_##K)                                                      \
    LANES_SWAPPED(lanes_ge_##K, lanes_le_##K)                                                      \
    LANES_CLAMP(lanes_clamp_##K, T, max_##K, min_##K)                                              \
    LANES_INTEGER_POW(lanes_integer_pow_##K, T, mul_##K, inverse_##K)

#define WIDTH(W, U, S, QU, QS, LEAST)                                                              \
    LANE_BITS(W, U, S)                                                                             \
    LANE_ORDER(u##W, U)                                                                            \
    LANE_ORDER(s##W, S)                                                                            \
    LANE_UNSIGNED(W, U, QU)                                                                        \
    LANE_SIGNED(W, U, S, QS, LEAST)                                                                \
    LOOPS_BITS(W, U)                                                                               \
    LOOPS_VALUES(u##W, U)                                                                          \
    LOOPS_VALUES(s##W, S)

LANE_HIGH(u8, 8, uint8_t, uint32_t)
LANE_HIGH(s8, 8, int8_t, int32_t)
LANE_HIGH(u16, 16, uint16_t, uint32_t)
LANE_HIGH(s16, 16, int16_t, int32_t)
LANE_HIGH(u32, 32, uint32_t, uint64_t)
LANE_HIGH(s32, 32, int32_t, int64_t)
WIDTH(8, uint8_t, int8_t, float, float, INT8_MIN)
WIDTH(16, uint16_t, int16_t, float, float, INT16_MIN)
WIDTH(32, uint32_t, int32_t, double, double, INT32_MIN)
WIDTH(64, uint64_t, int64_t, uint64_t, int64_t, INT64_MIN)

static inline uint8_t not_bool(uint8_t a) { return a ^ 1; }
LANES_1(lanes_not_b8, uint8_t, uint8_t, not_bool)

/* -- 2 and 4 bits in an 8-bit carrier: ops for which it is not enough to wrap the 8-bit result
 * -- */

#define FEW_BITS(B, MASK)                                                                          \
    static inline int8_t wrap_i##B(int8_t a)                                                       \
    {                                                                                              \
        return (int8_t)((a & MASK) - ((a & (MASK / 2 + 1)) << 1));                                 \
    }                                                                                              \
    static inline uint8_t wrap_u##B(uint8_t a) { return a & MASK; }                                \
    static inline uint8_t count_##B(uint8_t a) { return population_count_8(a & MASK); }            \
    static inline uint8_t clz_##B(uint8_t a) { return (uint8_t)(clz_8(a & MASK) - (8 - B)); }      \
    static inline uint8_t shr_i##B(uint8_t a, uint8_t b) { return shr_8(a & MASK, b); }            \
    static inline uint8_t sar_u##B(uint8_t a, uint8_t b)                                           \
    {                                                                                              \
        return sar_8((uint8_t)wrap_i##B((int8_t)a), b);                                            \
    }                                                                                              \
    static inline int8_t mul_high_i##B(int8_t a, int8_t b) { return (int8_t)(a * b >> B); }        \
    static inline uint8_t mul_high_u##B(uint8_t a, uint8_t b) { return (uint8_t)(a * b >> B); }    \
    static inline int8_t mul_i##B(int8_t a, int8_t b) { return wrap_i##B(mul_s8(a, b)); }          \
    static inline uint8_t mul_u##B(uint8_t a, uint8_t b) { return wrap_u##B(mul_8(a, b)); }        \
    static inline uint8_t inverse_u##B(uint8_t a) { return wrap_u##B(inverse_u8(a)); }             \
    LANES_1(lanes_wrap_i##B, int8_t, int8_t, wrap_i##B)                                            \
    LANES_1(lanes_wrap_u##B, uint8_t, uint8_t, wrap_u##B)                                          \
    LANES_1(lanes_population_count_##B##_bits, uint8_t, uint8_t, count_##B)                        \
    LANES_1(lanes_clz_##B##_bits, uint8_t, uint8_t, clz_##B)                                       \
    LANES_2(lanes_shr_i##B, uint8_t, uint8_t, shr_i##B)                                            \
    LANES_2(lanes_mul_high_i##B, int8_t, int8_t, mul_high_i##B)                                    \
    LANES_2(lanes_mul_high_u##B, uint8_t, uint8_t, mul_high_u##B)                                  \
    LANES_2(lanes_sar_u##B, uint8_t, uint8_t, sar_u##B)                                            \
    LANES_INTEGER_POW(lanes_integer_pow_i##B, int8_t, mul_i##B, inverse_s8)                        \
    LANES_INTEGER_POW(lanes_integer_pow_u##B, uint8_t, mul_u##B, inverse_u##B)

FEW_BITS(2, 3)
FEW_BITS(4, 15)

/* -- the tables -- */

#define INTS(f)                                                                                    \
    [TG_C_i8] = f##_8, [TG_C_i16] = f##_16, [TG_C_i32] = f##_32, [TG_C_i64] = f##_64,              \
    [TG_C_u8] = f##_8, [TG_C_u16] = f##_16, [TG_C_u32] = f##_32, [TG_C_u64] = f##_64
#define BY_SIGN(f)                                                                                 \
    [TG_C_i8] = f##_s8, [TG_C_i16] = f##_s16, [TG_C_i32] = f##_s32, [TG_C_i64] = f##_s64,          \
    [TG_C_u8] = f##_u8, [TG_C_u16] = f##_u16, [TG_C_u32] = f##_u32, [TG_C_u64] = f##_u64

const tg_by_carrier TG_ISA_NAME(tg_elementwise_ints)[TG_OP_COUNT] = {
    [TG_OP_neg] = {INTS(lanes_neg)},
    [TG_OP_abs] = {BY_SIGN(lanes_abs)},
    [TG_OP_sign] = {BY_SIGN(lanes_sign)},
    [TG_OP_not] = {INTS(lanes_not), [TG_C_b8] = lanes_not_b8},
    [TG_OP_square] = {INTS(lanes_square)},
    [TG_OP_integer_pow] = {BY_SIGN(lanes_integer_pow)},
    [TG_OP_population_count] = {INTS(lanes_population_count)},
    [TG_OP_clz] = {INTS(lanes_clz)},
    [TG_OP_assume_multiple] = {INTS(lanes_copy)},
    [TG_OP_add] = {INTS(lanes_add)},
    [TG_OP_sub] = {INTS(lanes_sub)},
    [TG_OP_mul] = {INTS(lanes_mul)},
    [TG_OP_mul_high] = {BY_SIGN(lanes_mul_high)},
    [TG_OP_div] = {BY_SIGN(lanes_div)},
    [TG_OP_rem] = {BY_SIGN(lanes_rem)},
    [TG_OP_max] = {BY_SIGN(lanes_max), [TG_C_b8] = lanes_max_u8},
    [TG_OP_min] = {BY_SIGN(lanes_min), [TG_C_b8] = lanes_min_u8},
    [TG_OP_and] = {INTS(lanes_and), [TG_C_b8] = lanes_and_8},
    [TG_OP_or] = {INTS(lanes_or), [TG_C_b8] = lanes_or_8},
    [TG_OP_xor] = {INTS(lanes_xor), [TG_C_b8] = lanes_xor_8},
    [TG_OP_shift_left] = {INTS(lanes_shl)},
    [TG_OP_shift_right_logical] = {INTS(lanes_shr)},
    [TG_OP_shift_right_arithmetic] = {INTS(lanes_sar)},
    [TG_OP_eq] = {INTS(lanes_eq), [TG_C_b8] = lanes_eq_8},
    [TG_OP_ne] = {INTS(lanes_ne), [TG_C_b8] = lanes_ne_8},
    [TG_OP_lt] = {BY_SIGN(lanes_lt), [TG_C_b8] = lanes_lt_u8},
    [TG_OP_le] = {BY_SIGN(lanes_le), [TG_C_b8] = lanes_le_u8},
    [TG_OP_gt] = {BY_SIGN(lanes_gt), [TG_C_b8] = lanes_gt_u8},
    [TG_OP_ge] = {BY_SIGN(lanes_ge), [TG_C_b8] = lanes_ge_u8},
    [TG_OP_clamp] = {BY_SIGN(lanes_clamp)},
};

/* Functions for integers of few bits only, by their kind. */
#define FEW_SINT(id, bits) [TG_OP_shift_right_logical][TG_DT_##id] = lanes_shr_##id,
#define FEW_UINT(id, bits) [TG_OP_shift_right_arithmetic][TG_DT_##id] = lanes_sar_##id,
#define IF_FEW(...) __VA_ARGS__
#define IF_SAME(...)
#define IF_HALF(...)
#define IF_OWN(...)
#define IF_CODE(...)

const tg_by_dtype TG_ISA_NAME(tg_elementwise_few_bits)[TG_OP_COUNT] = {
#define TG_DTYPE(id, kind, bits, bytes, carrier, exp, man, bias, special, numpy, st, lanes, ...)   \
    IF_##lanes([TG_OP_population_count][TG_DT_##id] = lanes_population_count_##bits##_bits,        \
               [TG_OP_mul_high][TG_DT_##id] = lanes_mul_high_##id,                                 \
               [TG_OP_clz][TG_DT_##id] = lanes_clz_##bits##_bits,                                  \
               [TG_OP_integer_pow][TG_DT_##id] = lanes_integer_pow_##id, FEW_##kind(id, bits))
#include "ir/dtypes.def"
};

tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_wrap)[TG_DT_COUNT] = {
#define TG_DTYPE(id, kind, bits, bytes, carrier, exp, man, bias, special, numpy, st, lanes, ...)   \
    IF_##lanes([TG_DT_##id] = lanes_wrap_##id, )
#include "ir/dtypes.def"
};
