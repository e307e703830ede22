/* Infinities, NaN and sums with huge numbers that are the same in every implementation, whatever is
 * next to them. */
#ifndef TG_BOUNDS_SPECIAL_H
#define TG_BOUNDS_SPECIAL_H

#include "bounds/impl.h"

/* Returns where x or y is infinite, and not off: a bool; TG_NO_BOUND: nowhere. */
tg_value_id tg_bound_surely_infinite(tg_bound *b, tg_value_id x, tg_value_id y);

/* Returns `bound`, or 0 where x or y is NaN and not off: of an operation on both that is NaN
 * there, whatever the other is. */
tg_value_id tg_bound_unless_nan(tg_bound *b, tg_value_id x, tg_value_id y, tg_value_id bound);

/* The same of the current op, which takes a maximum or minimum of many elements. */
tg_value_id tg_bound_unless_any_nan(tg_bound *b, tg_value_id bound);

/* Returns `bound`, or 0 where the current op, a sum in any order, is surely NaN or infinite: a term
 * is NaN and not off; or all that are not finite are not off, and the others are too small to
 * overflow: their sizes and bounds add up to no more than `most`. */
tg_value_id tg_bound_unless_special_sum(tg_bound *b, tg_value_id bound, double most);

/* Where a result rounded to nearest overflows however far off its operands are, all implementations
 * have the same infinity, and R becomes it.  Returns where: a bool. */
tg_value_id tg_bound_overflow_surely(tg_bound *b, tg_value_id passed);

/* Returns `bound`, or less where all numbers that the exact sum or difference of the current op may
 * be are rounded to one number of f32: |that - R|.  So a mask of -1e38 absorbs what is added to
 * it.  `passed`: how far off the exact sum may be. */
tg_value_id tg_bound_absorbed(tg_bound *b, tg_value_id passed, tg_value_id bound);

#endif
