/* Compares two tensors of one type: where and how far they differ, and whether the difference is
 * within a tolerance. */
#ifndef TG_REPORT_COMPARE_H
#define TG_REPORT_COMPARE_H

#include "ir/tensor.h"
#include "ir/tolerance.h"

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
    bool agree;            /* no element fails */
} tg_comparison;

/* Compares `got` with `want`, element by element.  Returns TG_OK, also if they differ, or
 * TG_ERR_TYPE if they have different types; then *out is zeroed. */
tg_status tg_compare(const tg_tensor *got, const tg_tensor *want, const tg_tolerance *tolerance,
                     tg_comparison *out);

/* Returns the number of steps from `a` to `b`, two elements in memory. */
uint64_t tg_ulp_distance(tg_dtype dtype, const void *a, const void *b);

/* Prints an element of memory exactly: "3", "true", "0.100000001 = 0x1.99999ap-4 [3dcccccd]".
 * Returns `out`. */
enum { TG_ELEMENT_TEXT = 80 };
char *tg_element_print(tg_dtype dtype, const void *element, char out[TG_ELEMENT_TEXT]);

/* Prints one line for a report: "2 of 12 elements differ, most at [0, 3] by 1 ULP: got ..., want
 * ...; the first at ...", or "12 elements are equal".  Returns `out`. */
enum { TG_COMPARISON_TEXT = 768 };
char *tg_comparison_print(const tg_comparison *c, const tg_tensor *got, const tg_tensor *want,
                          char out[TG_COMPARISON_TEXT]);

#endif
