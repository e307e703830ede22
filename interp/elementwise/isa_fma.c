/* The op fma: a product and a sum, rounded once. */
#include "interp/elementwise/elementary_dd.h"
#include "interp/elementwise/elementwise_impl.h"

/* Instructions differ in which operand's NaN they give, so there is only one. */
LANES_INLINE float fma_f32(float a, float b, float c)
{
    const float r = __builtin_fmaf(a, b, c);
    return r != r ? f32_of_bits(0x7fc00000) : r;
}

LANES_INLINE double fma_f64(double a, double b, double c)
{
    const double r = __builtin_fma(a, b, c);
    return r != r ? f64_of_bits(UINT64_C(0x7ff8000000000000)) : r;
}

/* Of narrow floats, in f32 by round-to-odd: the product is exact in f64, and so is the error of the
 * sum. */
LANES_INLINE float fma_odd(float a, float b, float c)
{
    const tg_dd sum = tg_sum((double)a * (double)b, (double)c);
    const double odd = tg_dd_to_odd(sum, 0.0);
    const double r = tg_abs(sum.hi) < TG_INF ? odd : sum.hi;
    return r != r ? f32_of_bits(0x7fc00000) : lanes_f64_as_odd_f32(r);
}

/* Operand k at lane i: of a splat the only element. */
#define LANE(operand, k) operand[splat >> (k)&1 ? 0 : i]

#define LANES_FMA(name, T, f)                                                                      \
    static void name(LANES_ARGS)                                                                   \
    {                                                                                              \
        T *const r = dst;                                                                          \
        const T *const a = src[0], *const b = src[1], *const c = src[2];                           \
        LANES_UNUSED();                                                                            \
        if ((splat & 7) == 0)                                                                      \
            LANES_EACH(i, count) r[i] = f(a[i], b[i], c[i]);                                       \
        else if ((splat & 7) == 7)                                                                 \
            name##_one(r, f(a[0], b[0], c[0]), count);                                             \
        else                                                                                       \
            LANES_EACH(i, count) r[i] = f(LANE(a, 0), LANE(b, 1), LANE(c, 2));                     \
    }

/* All lanes alike. */
#define FILL(name, T)                                                                              \
    static void name##_one(T *r, T value, size_t count) { LANES_EACH(i, count) r[i] = value; }

FILL(lanes_fma_f32, float)
FILL(lanes_fma_f64, double)
FILL(lanes_fma_odd, float)
LANES_FMA(lanes_fma_f32, float, fma_f32)
LANES_FMA(lanes_fma_f64, double, fma_f64)
LANES_FMA(lanes_fma_odd, float, fma_odd)

tg_elementwise_fn *const TG_ISA_NAME(tg_elementwise_fma)[TG_FMA_COUNT] = {
    [TG_FMA_f32] = lanes_fma_f32, [TG_FMA_f64] = lanes_fma_f64, [TG_FMA_odd] = lanes_fma_odd};
