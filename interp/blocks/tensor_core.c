#include "interp/blocks/tensor_core.h"

#include "base/aligned_sum.h"
#include "base/float_bits.h"
#include "ir/bits.h"

enum { BYTES = 32, MOST = BYTES };

/* Fraction bits that terms keep below the greatest one; `fp8_result`: that a sum of fp8 products keeps. */
static const struct {
    int bits, fp8_bits, fp8_result;
} MODELS[] = {
    [TG_TENSOR_CORE_SM90] = {TG_HOPPER_BITS, TG_HOPPER_FP8_BITS, TG_HOPPER_FP8_BITS},
    [TG_TENSOR_CORE_SM100] = {25, 25, 23},
};

static bool is_fp8(tg_dtype d) { return d == TG_DT_f8e4m3fn || d == TG_DT_f8e5m2; }

/* The number without its last bits. */
static float without(float value, int bits)
{
    return value == value ? f32_of_bits(bits_of_f32(value) >> bits << bits) : value;
}

/* Links first ... first + count - 1 of a chain as one instruction, whose sum is of that dtype. */
static float step(tg_tensor_core core, tg_dtype factor, tg_dtype type, int64_t count,
                  const float *a, const float *b, float sum)
{
    const int bits = is_fp8(factor) ? MODELS[core].fp8_bits : MODELS[core].bits;
    if (type != TG_DT_f32 && !is_fp8(factor)) {
        const double exact = tg_aligned_sum_exact(bits, (size_t)count, a, b, sum);
        return (float)tg_bits_value(type, tg_bits_round(type, exact));
    }
    sum = tg_aligned_sum(bits, (size_t)count, a, b, sum);
    if (is_fp8(factor)) sum = without(sum, 23 - MODELS[core].fp8_result);
    return type == TG_DT_f32 ? sum : (float)tg_bits_value(type, tg_bits_round(type, (double)sum));
}

/* Links of a chain, from `first` on, as the unit sees them. */
static void take(tg_dtype factor, const float *from, int64_t stride, int64_t count, float *to)
{
    enum { TF32_LACKS = 13 };
    for (int64_t i = 0; i < count; i++)
        to[i] = factor == TG_DT_f32 ? without(from[i * stride], TF32_LACKS) : from[i * stride];
}

static float chain(tg_tensor_core core, tg_dtype factor, tg_dtype type, const tg_dot_shape *s,
                   const float *lhs, const float *rhs, float sum)
{
    const int64_t links = BYTES / (int64_t)tg_dtypes[factor].bytes;
    float a[MOST], b[MOST];
    for (int64_t k = 0; k < s->k; k += links) {
        const int64_t count = s->k - k < links ? s->k - k : links;
        take(factor, lhs + k * s->lhs_k, s->lhs_k, count, a);
        take(factor, rhs + k * s->rhs_k, s->rhs_k, count, b);
        sum = step(core, factor, type, count, a, b, sum);
    }
    return sum;
}

void tg_tensor_core_add(tg_tensor_core core, tg_dtype factor, tg_dtype sum, const tg_dot_shape *s,
                        const float *lhs, const float *rhs, float *out)
{
    for (int64_t b = 0; b < s->b; b++)
        for (int64_t m = 0; m < s->m; m++)
            for (int64_t n = 0; n < s->n; n++, out++)
                *out = chain(core, factor, sum, s, lhs + b * s->lhs_b + m * s->lhs_m,
                             rhs + b * s->rhs_b + n * s->rhs_n, *out);
}
