/* Orders derived from a seed. */
#ifndef TG_EMULATOR_ORDER_H
#define TG_EMULATOR_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/splitmix.h"

/* SplitMix64: advances the state and returns the next number. */
static inline uint64_t tg_emu_random(uint64_t *state)
{
    return tg_splitmix(*state += TG_SPLITMIX_STEP);
}

/* Which of `count` things comes first: a random one, or without a seed number 0. */
static inline size_t tg_emu_choose(uint64_t seed, uint64_t *state, size_t count)
{
    return seed ? (size_t)(tg_emu_random(state) % count) : 0;
}

/* A permutation of 0 to count - 1, computed on the fly: a Feistel network over the next even number
 * of bits, iterated until the result is in range.  Seed 0 gives the identity. */
typedef struct tg_emu_order {
    uint64_t count, keys[4];
    unsigned half_bits; /* 0: the identity */
} tg_emu_order;

tg_emu_order tg_emu_order_of(uint64_t count, uint64_t seed);
uint64_t tg_emu_order_at(const tg_emu_order *order, uint64_t index);

#endif
