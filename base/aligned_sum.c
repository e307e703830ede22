#include "base/aligned_sum.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>

#include "base/float_bits.h"

static int greater(int a, int b) { return a > b ? a : b; }

/* Truncates toward zero. */
static float cut(double value)
{
    const float nearest = (float)value;
    return isfinite(nearest) && fabs((double)nearest) > fabs(value) ? nextafterf(nearest, 0)
                                                                    : nearest;
}

/* Each term has at most two bits more than `bits`, so that all of them fit in 64. */
static double finite_sum(int bits, size_t k, const float *a, const float *b, float c)
{
    int top = c == 0 ? INT_MIN : ilogbf(c);
    for (size_t i = 0; i < k; i++)
        if (a[i] != 0 && b[i] != 0) top = greater(top, ilogbf(a[i]) + ilogbf(b[i]));
    if (top == INT_MIN) return 0; /* all terms are zero */
    int64_t sum = (int64_t)ldexp((double)c, bits - top);
    for (size_t i = 0; i < k; i++) sum += (int64_t)ldexp((double)a[i] * (double)b[i], bits - top);
    return ldexp((double)sum, top - bits);
}

/* The sum if a term is infinite or NaN; otherwise 0. */
static double special(size_t k, const float *a, const float *b, float c)
{
    double sum = isfinite(c) ? 0 : (double)c;
    for (size_t i = 0; i < k; i++) {
        const double product = (double)a[i] * (double)b[i];
        if (!isfinite(product)) sum += product;
    }
    return sum;
}

double tg_aligned_sum_exact(int bits, size_t k, const float *a, const float *b, float c)
{
    const double infinite = special(k, a, b, c);
    if (isnan(infinite)) return (double)f32_of_bits(0x7fffffff);
    return isinf(infinite) ? infinite : finite_sum(bits, k, a, b, c);
}

float tg_aligned_sum(int bits, size_t k, const float *a, const float *b, float c)
{
    const double sum = tg_aligned_sum_exact(bits, k, a, b, c);
    return isnan(sum) ? f32_of_bits(0x7fffffff) : cut(sum);
}
