/* How two arrays differ.  Includes nothing, so that whoever compares can include it. */
#ifndef TILEGRIND_COMPARISON_H
#define TILEGRIND_COMPARISON_H

#include <stdint.h>

/* The result of a comparison.  Two NaNs are equal in every respect, whatever their bits. 0 and -0
 * differ in bits and are 0 ULPs apart.
 *
 * A ULP is a step from one value of the dtype to the next: for floats along all its values, with
 * the infinities one step after the greatest; for ints the absolute difference; for bool 0 or 1.
 * NaN and a number are UINT64_MAX apart. */
typedef struct tg_comparison {
    int64_t count;     /* elements */
    int64_t differing; /* elements with different bits */
    int64_t first;     /* row-major index of the first differing element, or -1 */
    /* Index of the first element with the largest distance; -1 if no elements differ. */
    int64_t worst;
    uint64_t worst_ulps;   /* that distance */
    int64_t failing;       /* elements outside the tolerance */
    int64_t first_failing; /* index of the first failing element, or -1 */
    int agree;             /* no element fails */
} tg_comparison;

/* Bytes that have room for the text of any element, and of any comparison, the NUL included. */
enum { TG_ELEMENT_TEXT = 80, TG_COMPARISON_TEXT = 768 };

#endif
