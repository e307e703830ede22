/* The shadow of an element is a word: 0 where all of it is defined, else the bytes that are not
 * (bit b: byte b of the dtype, as it is in memory), and above these the number of a trail. */
#ifndef TG_CHECKS_UNDEFINED_WORDS_H
#define TG_CHECKS_UNDEFINED_WORDS_H

#include "ir/type.h"

enum { TG_WORD_TRAIL = 8 }; /* where the trail begins */

static inline uint32_t tg_word(uint32_t trail, unsigned bytes)
{
    return bytes ? trail << TG_WORD_TRAIL | bytes : 0;
}

static inline uint32_t tg_word_trail(uint32_t word) { return word >> TG_WORD_TRAIL; }

static inline unsigned tg_word_bytes(uint32_t word) { return word & 0xff; }

/* All bytes of an element. */
static inline unsigned tg_all_bytes(tg_dtype dtype) { return (1U << tg_dtypes[dtype].bytes) - 1; }

#endif
