/* The shadow of an element is a word: 0 if all of the element is defined.  Otherwise the low bits
 * are the undefined bytes (bit b: byte b of the dtype, as in memory), and the bits above are the
 * number of a trail. */
#ifndef TG_CHECKS_UNDEFINED_WORDS_H
#define TG_CHECKS_UNDEFINED_WORDS_H

#include "ir/type.h"

enum { TG_WORD_TRAIL = 8 }; /* the lowest bit of the trail */

static inline uint32_t tg_word(uint32_t trail, unsigned bytes)
{
    return bytes ? trail << TG_WORD_TRAIL | bytes : 0;
}

static inline uint32_t tg_word_trail(uint32_t word) { return word >> TG_WORD_TRAIL; }

static inline unsigned tg_word_bytes(uint32_t word) { return word & 0xff; }

/* All bytes of an element of the dtype, as a bit set. */
static inline unsigned tg_all_bytes(tg_dtype dtype) { return (1U << tg_dtypes[dtype].bytes) - 1; }

#endif
