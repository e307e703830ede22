/* Axe layouts: where each logical element is, as a set of hardware coordinates.
 *
 *     L(x) = { D(x) + r + O : r in R }
 *
 * A coordinate is an integer for each axis; an axis that is not named has 0.  An *iter* (e, s, a)
 * takes a digit d, 0 <= d < e, to d * s on axis a.  D is a list of iters; the digits of x are those
 * of a row-major index, so the last iter is the fastest.  R is a multiset of iters, whose digits
 * take all values: copies of the element.  O is a coordinate.  (Hou et al., Axe: A Simple Unified
 * Layout Abstraction for Machine Learning Compilers, arXiv 2601.19092.)
 *
 * Beyond the paper, a stride may be 0 (elements that share a place), and a swizzle may follow. */
#ifndef TG_LAYOUT_AXE_H
#define TG_LAYOUT_AXE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "layout/axis.h"

typedef struct tg_iter {
    int64_t extent, stride; /* extent >= 1 */
    tg_axis axis;           /* TG_AXIS_NONE exactly if the stride is 0 */
} tg_iter;

/* Iters of D, or of R.  Extents of 2 or more are at most 62, since their product fits in 63
 * bits. */
enum { TG_AXE_MAX_ITERS = 64 };

/* v becomes v ^ ((v & mask) >> shift), where mask has `bits` ones from bit base + max(shift, 0) on;
 * a negative shift goes to the left.  As CuTe's Swizzle<bits, base, shift>, |shift| >= bits. */
typedef struct tg_swizzle {
    int bits, base, shift; /* bits 0: there is none */
    tg_axis axis;          /* of memory */
} tg_swizzle;

typedef struct tg_iters {
    int count;
    tg_iter list[TG_AXE_MAX_ITERS];
} tg_iters;

/* Made by tg_axe_begin, then the functions below; valid once tg_axe_check accepts it: then no
 * coordinate overflows, nor does the product of all extents. */
typedef struct tg_axe {
    tg_iters d, r;
    int64_t offset[TG_AXIS_COUNT];
    tg_swizzle swizzle;
} tg_axe;

/* A layout of one element at the origin, without iters. */
void tg_axe_begin(tg_axe *axe);

/* Adds an iter at the end.  The caller has made sure that there is room. */
void tg_iters_put(tg_iters *iters, int64_t extent, int64_t stride, tg_axis axis);

/* Copies what is in use. */
void tg_iters_copy(const tg_iters *from, tg_iters *to);
void tg_axe_copy(const tg_axe *from, tg_axe *to);

/* Whether the layout keeps the rules above.  TG_ERR_INVALID with the reason: an extent below 1, a
 * swizzle that is invalid, a coordinate or a number of elements that does not fit in 63 bits. */
tg_status tg_axe_check(const tg_axe *axe, tg_diags *diags);

/* The product of the extents: elements of D, copies of R (of which some may coincide). */
int64_t tg_iters_size(const tg_iters *iters);

/* The product of the extents of D on an axis. */
int64_t tg_axe_size_on(const tg_axe *axe, tg_axis axis);

/* Bounds of the coordinates on an axis before a swizzle: both are reached. */
typedef struct tg_range {
    int64_t least, most;
} tg_range;
tg_range tg_axe_range(const tg_axe *axe, tg_axis axis);

/* 1 + the distance of the bounds: 1 for an axis without iters. */
int64_t tg_axe_span(const tg_axe *axe, tg_axis axis);

int64_t tg_swizzle_apply(const tg_swizzle *swizzle, int64_t v);
void tg_swizzle_apply_many(const tg_swizzle *swizzle, int64_t *values, int64_t count);
bool tg_swizzle_same(const tg_swizzle *a, const tg_swizzle *b);

#endif
