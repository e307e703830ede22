/* Compares two tensors of one type: where and how far they differ, and whether the difference is
 * within a tolerance. */
#ifndef TG_REPORT_COMPARE_H
#define TG_REPORT_COMPARE_H

#include "ir/tensor.h"
#include "ir/tolerance.h"
#include "tilegrind/comparison.h"

/* Compares `got` with `want`, element by element.  Returns TG_OK, also if they differ, or
 * TG_ERR_TYPE if they have different types; then *out is zeroed. */
tg_status tg_compare(const tg_tensor *got, const tg_tensor *want, const tg_tolerance *tolerance,
                     tg_comparison *out);

/* Returns the number of steps from `a` to `b`, two elements in memory. */
uint64_t tg_ulp_distance(tg_dtype dtype, const void *a, const void *b);

/* Prints an element of memory exactly: "3", "true", "0.100000001 = 0x1.99999ap-4 [3dcccccd]".
 * Returns `out`. */
char *tg_element_print(tg_dtype dtype, const void *element, char out[TG_ELEMENT_TEXT]);

/* Prints one line for a report: "2 of 12 elements differ, most at [0, 3] by 1 ULP: got ..., want
 * ...; the first at ...", or "12 elements are equal".  Returns `out`. */
char *tg_comparison_print(const tg_comparison *c, const tg_tensor *got, const tg_tensor *want,
                          char out[TG_COMPARISON_TEXT]);

#endif
