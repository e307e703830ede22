/* Where multiples of one number, counted from 0, and of another, counted from elsewhere, meet. */
#ifndef TG_LAYOUT_MULTIPLES_H
#define TG_LAYOUT_MULTIPLES_H

#include <stdbool.h>
#include <stdint.h>

int64_t tg_gcd(int64_t a, int64_t b);

/* Multiples of `of`, of which those of `not_of` are left out; 0: none is. */
typedef struct tg_multiples {
    int64_t of, not_of; /* of >= 1; it divides not_of */
} tg_multiples;

/* The first u, 1 <= u < end, such that u is among `a` and shift + u among `b`; `end` if there is none.
 * 0 <= shift, and shift + end fits in 62 bits. */
int64_t tg_multiples_meet(tg_multiples a, tg_multiples b, int64_t shift, int64_t end);

#endif
