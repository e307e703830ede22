/* Arithmetic of nested tuples.  (python/pycute/int_tuple.py) */
#ifndef TG_LAYOUT_CUTE_ARITHMETIC_H
#define TG_LAYOUT_CUTE_ARITHMETIC_H

#include "layout/cute/tuple.h"

/* TG_ERR_INVALID if the product of all integers does not fit. */
tg_status tg_tuple_multiply(const tg_tuple *tuple, int64_t *out, tg_diags *diags);

/* The sum of the products of integers at the same place.  TG_ERR_INVALID if the nesting differs or the sum
 * does not fit. */
tg_status tg_tuple_inner_product(const tg_tuple *a, const tg_tuple *b, int64_t *out,
                                 tg_diags *diags);

/* What is left of a shape when `divisor` elements are divided out of it from the left: (3,4) by 6 is (1,2).
 * At each integer one must divide the other, else TG_ERR_INVALID; so it is if an integer is below 1. */
tg_status tg_tuple_divide(const tg_tuple *shape, int64_t divisor, tg_tuple *out, tg_diags *diags);

#endif
