/* The instructions that tests/ptx_rows.c knows, each a loop over lanes in the terms of PTX's manual. */
#ifndef TG_TESTS_PTX_ROWS_INSTRUCTIONS_H
#define TG_TESTS_PTX_ROWS_INSTRUCTIONS_H

#include <math.h>

#include "base/float_bits.h"
#include "tests/ptx_rows.h"

typedef void row_fn(uint64_t *restrict d, const uint64_t *a, const uint64_t *b, const uint64_t *c);

#define LANES for (int i = 0; i < PTX_ROWS_LANES; i++)
#define F64(x) f64_of_bits(x)
#define F32(x) f32_of_bits((uint32_t)(x))
#define U32(x) ((uint32_t)(x))
#define S32(x) ((int32_t)(uint32_t)(x))
#define S64(x) ((int64_t)(x))

static inline uint64_t shl64(uint64_t x, uint32_t n) { return n > 63 ? 0 : x << n; }
static inline uint64_t shr64(uint64_t x, uint32_t n) { return n > 63 ? 0 : x >> n; }
static inline uint64_t high_of(uint64_t x, uint64_t y)
{
    const uint64_t x0 = (uint32_t)x, x1 = x >> 32, y0 = (uint32_t)y, y1 = y >> 32;
    const uint64_t middle = x1 * y0 + (x0 * y0 >> 32);
    return x1 * y1 + (middle >> 32) + ((x0 * y1 + (uint32_t)middle) >> 32);
}
static inline uint32_t leading_zeros(uint64_t x)
{
    uint32_t n = 0;
    for (uint64_t bit = UINT64_C(1) << 63; bit != 0 && (x & bit) == 0; bit >>= 1) n++;
    return n;
}

/* ROW(name as a C identifier, name, operands, value of one lane from x, y, z).  `neu`, `ltu` and so on
 * also hold where an operand is a NaN, which C's negated comparisons say. */
#define EACH_ROW(ROW)                                                                              \
    ROW(add_f64, "add.rn.f64", 2, bits_of_f64(F64(x) + F64(y)))                                    \
    ROW(sub_f64, "sub.rn.f64", 2, bits_of_f64(F64(x) - F64(y)))                                    \
    ROW(mul_f64, "mul.rn.f64", 2, bits_of_f64(F64(x) * F64(y)))                                    \
    ROW(div_f64, "div.rn.f64", 2, bits_of_f64(F64(x) / F64(y)))                                    \
    ROW(fma_f64, "fma.rn.f64", 3, bits_of_f64(__builtin_fma(F64(x), F64(y), F64(z))))              \
    ROW(sqrt_f64, "sqrt.rn.f64", 1, bits_of_f64(__builtin_sqrt(F64(x))))                           \
    ROW(neg_f64, "neg.f64", 1, x ^ UINT64_C(0x8000000000000000))                                   \
    ROW(cvt_f64_f32, "cvt.f64.f32", 1, bits_of_f64((double)F32(x)))                                \
    ROW(cvt_f32_f64, "cvt.rn.f32.f64", 1, bits_of_f32((float)F64(x)))                              \
    ROW(cvt_f64_s32, "cvt.rn.f64.s32", 1, bits_of_f64((double)S32(x)))                             \
    ROW(cvt_f64_u32, "cvt.rn.f64.u32", 1, bits_of_f64((double)U32(x)))                             \
    ROW(cvt_f64_s64, "cvt.rn.f64.s64", 1, bits_of_f64((double)S64(x)))                             \
    ROW(cvt_f64_u64, "cvt.rn.f64.u64", 1, bits_of_f64((double)x))                                  \
    ROW(cvt_u32_u64, "cvt.u32.u64", 1, U32(x))                                                     \
    ROW(cvt_s64_s32, "cvt.s64.s32", 1, (uint64_t)(int64_t)S32(x))                                  \
    ROW(mov_b64, "mov.b64", 1, x)                                                                  \
    ROW(mov_u64, "mov.u64", 1, x)                                                                  \
    ROW(and_b64, "and.b64", 2, x &y)                                                               \
    ROW(or_b64, "or.b64", 2, x | y)                                                                \
    ROW(xor_b64, "xor.b64", 2, x ^ y)                                                              \
    ROW(and_b32, "and.b32", 2, x &y)                                                               \
    ROW(or_b32, "or.b32", 2, x | y)                                                                \
    ROW(and_pred, "and.pred", 2, x &y)                                                             \
    ROW(or_pred, "or.pred", 2, x | y)                                                              \
    ROW(xor_pred, "xor.pred", 2, x ^ y)                                                            \
    ROW(not_pred, "not.pred", 1, x ^ 1)                                                            \
    ROW(shl_b64, "shl.b64", 2, shl64(x, U32(y)))                                                   \
    ROW(shr_u64, "shr.u64", 2, shr64(x, U32(y)))                                                   \
    ROW(shr_u32, "shr.u32", 2, shr64(x, U32(y)))                                                   \
    ROW(add_s64, "add.s64", 2, x + y)                                                              \
    ROW(sub_s64, "sub.s64", 2, x - y)                                                              \
    ROW(neg_s64, "neg.s64", 1, 0 - x)                                                              \
    ROW(add_s32, "add.s32", 2, U32(x + y))                                                         \
    ROW(sub_s32, "sub.s32", 2, U32(x - y))                                                         \
    ROW(neg_s32, "neg.s32", 1, U32(0 - x))                                                         \
    ROW(min_u32, "min.u32", 2, x < y ? x : y)                                                      \
    ROW(mul_lo_u64, "mul.lo.u64", 2, x *y)                                                         \
    ROW(mul_hi_u64, "mul.hi.u64", 2, high_of(x, y))                                                \
    ROW(mad_wide_u32, "mad.wide.u32", 3, x *y + z)                                                 \
    ROW(clz_b64, "clz.b64", 1, leading_zeros(x))                                                   \
    ROW(selp_b64, "selp.b64", 3, z ? x : y)                                                        \
    ROW(selp_f64, "selp.f64", 3, z ? x : y)                                                        \
    ROW(selp_b32, "selp.b32", 3, z ? x : y)                                                        \
    ROW(setp_eq_b64, "setp.eq.b64", 2, x == y)                                                     \
    ROW(setp_ne_b64, "setp.ne.b64", 2, x != y)                                                     \
    ROW(setp_eq_b32, "setp.eq.b32", 2, x == y)                                                     \
    ROW(setp_ne_b32, "setp.ne.b32", 2, x != y)                                                     \
    ROW(setp_lt_u64, "setp.lt.u64", 2, x < y)                                                      \
    ROW(setp_gt_u64, "setp.gt.u64", 2, x > y)                                                      \
    ROW(setp_lt_s64, "setp.lt.s64", 2, S64(x) < S64(y))                                            \
    ROW(setp_gt_s64, "setp.gt.s64", 2, S64(x) > S64(y))                                            \
    ROW(setp_lt_u32, "setp.lt.u32", 2, U32(x) < U32(y))                                            \
    ROW(setp_gt_u32, "setp.gt.u32", 2, U32(x) > U32(y))                                            \
    ROW(setp_lt_s32, "setp.lt.s32", 2, S32(x) < S32(y))                                            \
    ROW(setp_le_s32, "setp.le.s32", 2, S32(x) <= S32(y))                                           \
    ROW(setp_eq_f64, "setp.eq.f64", 2, F64(x) == F64(y))                                           \
    ROW(setp_neu_f64, "setp.neu.f64", 2, F64(x) != F64(y))                                         \
    ROW(setp_lt_f64, "setp.lt.f64", 2, F64(x) < F64(y))                                            \
    ROW(setp_le_f64, "setp.le.f64", 2, F64(x) <= F64(y))                                           \
    ROW(setp_gt_f64, "setp.gt.f64", 2, F64(x) > F64(y))                                            \
    ROW(setp_ge_f64, "setp.ge.f64", 2, F64(x) >= F64(y))                                           \
    ROW(setp_ltu_f64, "setp.ltu.f64", 2, !(F64(x) >= F64(y)))                                      \
    ROW(setp_geu_f64, "setp.geu.f64", 2, !(F64(x) < F64(y)))                                       \
    ROW(setp_num_f64, "setp.num.f64", 2, !isunordered(F64(x), F64(y)))                             \
    ROW(setp_nan_f64, "setp.nan.f64", 2, isunordered(F64(x), F64(y)))                              \
    ROW(setp_num_f32, "setp.num.f32", 2, !isunordered(F32(x), F32(y)))

#define FUNCTION(id, name, operands, value)                                                        \
    static void row_##id(uint64_t *restrict d, const uint64_t *a, const uint64_t *b,               \
                         const uint64_t *c)                                                        \
    {                                                                                              \
        (void)b, (void)c;                                                                          \
        LANES                                                                                      \
        {                                                                                          \
            const uint64_t x = a[i], y = operands > 1 ? b[i] : 0, z = operands > 2 ? c[i] : 0;     \
            (void)y, (void)z;                                                                      \
            d[i] = (uint64_t)(value);                                                              \
        }                                                                                          \
    }
EACH_ROW(FUNCTION)

#define ENTRY(id, name, operands, value) {name, operands, row_##id},
static const struct {
    const char *name;
    int operands;
    row_fn *run;
} instructions[] = {EACH_ROW(ENTRY)};

#endif
