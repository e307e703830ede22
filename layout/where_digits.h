/* The digits that make up the coordinate on one axis. */
#ifndef TG_LAYOUT_WHERE_DIGITS_H
#define TG_LAYOUT_WHERE_DIGITS_H

#include "layout/axe.h"

/* A digit d, 0 <= d < extent, adds d * stride to the coordinate, d * place to the index of the element. */
typedef struct tg_axis_digit {
    int64_t extent, stride; /* stride >= 1 */
    int64_t place;          /* 0 for a digit of a copy; below 0 where the stride was */
} tg_axis_digit;

/* The digits of an axis with the largest stride first.  With all of them 0, the coordinate is `least`, the
 * index `first`; those from digit i on add reach[i] at most. */
typedef struct tg_axis_digits {
    int count;
    int64_t least, first;
    tg_axis_digit list[2 * TG_AXE_MAX_ITERS];
    int64_t reach[2 * TG_AXE_MAX_ITERS + 1];
} tg_axis_digits;

void tg_axis_digits_of(const tg_axe *axe, tg_axis axis, tg_axis_digits *out);

/* Whether each stride is more than all smaller ones reach, so that a coordinate has its digits in one way. */
bool tg_axis_digits_are_separated(const tg_axis_digits *digits);

#endif
