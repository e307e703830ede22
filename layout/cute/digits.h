/* The digits of an index, split where the dimensions of a shape begin. */
#ifndef TG_LAYOUT_CUTE_DIGITS_H
#define TG_LAYOUT_CUTE_DIGITS_H

#include "layout/axe.h"
#include "layout/shape.h"

/* A digit of dimension `dim`: a step of it is `place` in the dimension, and `it.stride` on the axis. */
typedef struct tg_digit {
    tg_iter it;
    int dim;
    int64_t place;
} tg_digit;

/* The fastest digit first, and dimensions in the order that they were given.  Extents are 2 or more, so
 * there are at most 62. */
typedef struct tg_digits {
    int count;
    tg_digit list[TG_AXE_MAX_ITERS];
} tg_digits;

/* Of iters, the fastest first, and of dimensions, the fastest first.  TG_ERR_INVALID if the sizes differ,
 * TG_ERR_UNSUPPORTED if an iter and a dimension overlap, and neither divides the other. */
tg_status tg_digits_split(const tg_iters *iters, const tg_shape *shape, tg_digits *out,
                          tg_diags *diags);

/* Of D, row-major in the shape: dimension 0 of the digits is the last of the shape. */
tg_status tg_digits_of_axe(const tg_axe *axe, const tg_shape *shape, tg_digits *out,
                           tg_diags *diags);

/* Puts the digits of a dimension as iters, slowest first. */
void tg_digits_put(const tg_digits *digits, int dim, tg_iters *out);

#endif
