/* exp of f32 lanes by way of SLEEF's f64 function with AVX2: the yardstick of bench/yardstick.py. */
#include <immintrin.h>
#include <sleef.h>
#include <stddef.h>

static __m128 exp_of(__m128 x) { return _mm256_cvtpd_ps(Sleef_expd4_u10avx2(_mm256_cvtps_pd(x))); }

/* `count` is a multiple of 4. */
void sleef_exp(const float *x, float *y, size_t count);

void sleef_exp(const float *x, float *y, size_t count)
{
    for (size_t i = 0; i < count; i += 4) _mm_storeu_ps(y + i, exp_of(_mm_loadu_ps(x + i)));
}
