#include "emulator/mma.h"

#include <math.h>

#include "emulator/canonical.h"

static int greater(int a, int b) { return a > b ? a : b; }

/* Truncates toward zero. */
static float cut(double value)
{
    const float nearest = (float)value;
    return isfinite(nearest) && fabs((double)nearest) > fabs(value) ? nextafterf(nearest, 0)
                                                                    : nearest;
}

/* Truncates all terms `bits` below the leading bit of the greatest and adds them exactly.  The
 * leading bit of a product is taken as the sum of those of its factors, so that each term has at
 * most two bits more than `bits`, and all terms fit in 64. */
static float aligned(int bits, size_t k, const float *a, const float *b, float c)
{
    int top = c == 0 ? INT32_MIN : ilogbf(c);
    for (size_t i = 0; i < k; i++)
        if (a[i] != 0 && b[i] != 0) top = greater(top, ilogbf(a[i]) + ilogbf(b[i]));
    if (top == INT32_MIN) return 0; /* all terms are zero */
    int64_t sum = (int64_t)ldexp((double)c, bits - top);
    for (size_t i = 0; i < k; i++) sum += (int64_t)ldexp((double)a[i] * (double)b[i], bits - top);
    return cut(ldexp((double)sum, top - bits));
}

static float chain(size_t k, const float *a, const float *b, float c)
{
    while (k-- > 0) c = (float)((double)c + (double)a[k] * (double)b[k]);
    return c;
}

/* The sum if a term is infinite or NaN; otherwise some finite number. */
static double special(size_t k, const float *a, const float *b, float c)
{
    double sum = isfinite(c) ? 0 : (double)c;
    for (size_t i = 0; i < k; i++) {
        const double product = (double)a[i] * (double)b[i];
        if (!isfinite(product)) sum += product;
    }
    return sum;
}

float tg_emu_mma(tg_emu_mma_sum how, size_t k, const float *a, const float *b, float c)
{
    const double infinite = special(k, a, b, c);
    if (isnan(infinite)) return canonical_f32(NAN);
    if (isinf(infinite)) return (float)infinite;
    switch (how) {
    case TG_EMU_MMA_WHOLE: return aligned(25, k, a, b, c);
    case TG_EMU_MMA_HALVES:
        c = aligned(24, k / 2, a, b, c);
        if (isfinite(c)) c = aligned(24, k / 2, a + k / 2, b + k / 2, c);
        return c;
    default: return canonical_f32(chain(k, a, b, c));
    }
}
