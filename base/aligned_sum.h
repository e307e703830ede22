/* Sums of products as matrix units of GPUs are published to make them. */
#ifndef TG_BASE_ALIGNED_SUM_H
#define TG_BASE_ALIGNED_SUM_H

#include <stddef.h>

/* Of Hopper: `bits` of most factors, and of fp8 ones, of whose sums as many fraction bits are kept. */
enum { TG_HOPPER_BITS = 25, TG_HOPPER_FP8_BITS = 13 };

/* c + a[0] b[0] + ... + a[k-1] b[k-1]: all terms are truncated, toward zero, `bits` below the leading bit
 * of the greatest of them, and added exactly; the sum is truncated to f32.  The leading bit of a product
 * is taken as the sum of those of its factors.  Products are exact in f64; bits <= 35, k <= 64.  A NaN
 * result is 0x7fffffff.  Source: arXiv 2512.07004 and 2403.00232, of which PTX promises nothing. */
float tg_aligned_sum(int bits, size_t k, const float *a, const float *b, float c);

/* The same before it is truncated to f32: what a sum in f16 is rounded from, as seen on an H200. */
double tg_aligned_sum_exact(int bits, size_t k, const float *a, const float *b, float c);

#endif
