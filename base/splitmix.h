/* SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). */
#ifndef TG_BASE_SPLITMIX_H
#define TG_BASE_SPLITMIX_H

#include <stdint.h>

/* The state grows by this with each number. */
#define TG_SPLITMIX_STEP UINT64_C(0x9e3779b97f4a7c15)

/* The number of a state: a bijection whose results look random. */
static inline uint64_t tg_splitmix(uint64_t state)
{
    uint64_t z = state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
