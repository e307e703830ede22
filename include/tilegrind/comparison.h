/* How two arrays differ.  Includes nothing, so that whoever compares can include it. */
#ifndef TILEGRIND_COMPARISON_H
#define TILEGRIND_COMPARISON_H

#include <stdint.h>

/* What was found.  NaN agrees with NaN in every respect, whatever the bits.  0 and -0 differ in
 * bits and are 0 ULPs apart.
 *
 * ULPs are steps from one value of the dtype to the next: for floats along all its values,
 * infinities being the steps after the greatest; for ints the absolute difference; for bool 0 or 1.
 * NaN and a number are UINT64_MAX apart. */
typedef struct tg_comparison {
    int64_t count;     /* elements */
    int64_t differing; /* elements of different bits */
    int64_t first;     /* row-major index of the first of them, or -1 */
    int64_t worst; /* index of the first element with the largest distance, or -1 if none differs */
    uint64_t worst_ulps;   /* that distance */
    int64_t failing;       /* elements outside the tolerance */
    int64_t first_failing; /* index of the first of them, or -1 */
    int agree;             /* whether none is */
} tg_comparison;

/* Bytes that have room for the text of any element, and of any comparison, the NUL included. */
enum { TG_ELEMENT_TEXT = 80, TG_COMPARISON_TEXT = 768 };

#endif
