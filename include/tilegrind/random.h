/* Random numbers by counter: element i depends on the start and i alone, and has the same bits on
 * every machine.
 *
 * The generator is SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
 * OOPSLA 2014), whose output i is a function of the state at the start and i.  What is made of its
 * words is exact. */
#ifndef TILEGRIND_RANDOM_H
#define TILEGRIND_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include <tilegrind/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each writes `count` elements to `out`. */

TG_API void tg_random_words(uint64_t start, size_t count, uint64_t *out);

/* From `least` to `most`, both included, which are less than 2^32 apart.  The bias is at most
 * (most - least) / 2^32. */
TG_API void tg_random_integers(uint64_t start, size_t count, int64_t least, int64_t most,
                               int64_t *out);

/* In (0, 1], multiples of 2^-32. */
TG_API void tg_random_uniform(uint64_t start, size_t count, double *out);

/* Of mean 0 and variance 1, close to the normal distribution: a sum of four uniform numbers, none
 * beyond 3.47. */
TG_API void tg_random_normal(uint64_t start, size_t count, double *out);

#ifdef __cplusplus
}
#endif

#endif
