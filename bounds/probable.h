/* Roundings that partly cancel: bounds of sums that hold with a probability close to 1. */
#ifndef TG_BOUNDS_PROBABLE_H
#define TG_BOUNDS_PROBABLE_H

#include "bounds/impl.h"

/* Returns how far a sum may be off after so many roundings of partial sums to nearest, each within
 * `unit` of the partial sum, relative to the sum of the sizes of its terms, with a probability of at
 * least 1 - 3e-14:
 *
 *     lambda sqrt(n / 3) sqrt(1 + n / V) u,  lambda = 8
 *
 * Roundings are taken for independent numbers with mean 0 and equal density within u of each partial
 * sum, which is no greater than the sum of the sizes.  Their sum is more than lambda standard
 * deviations away with a probability of at most 2 exp(-lambda^2 / 2) (Hoeffding's inequality for such
 * numbers).  Of the inputs V values differ, and equal terms are rounded alike, so that n / V roundings
 * are one.  N. J. Higham and T. Mary, A New Approach to Probabilistic Rounding Error Analysis, SIAM
 * Journal on Scientific Computing 41(5), 2019, have sqrt(n) for the same reason.
 *
 * Returns infinity where the kernel's bounds are certain ones, where this is more than half of the
 * certain share, n u, and where terms may be lost in greater partial sums one after another. */
double tg_bound_of_random_chain(const tg_bound *b, double roundings, double unit);

#endif
