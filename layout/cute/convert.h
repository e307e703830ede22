/* Between Axe and CuTe.
 *
 * A layout of memory: an Axe D on one axis of memory is a CuTe layout whose modes are in reverse
 * order.  The element at a coordinate of `shape` has its row-major index in Axe, its column-major
 * index in CuTe.
 *
 * A layout of threads and values (TV) goes the other way: CuTe maps (thread, value) to the
 * column-major index of the element, ((T, ..),(V, ..)):((..),(..)); Axe maps the element to thread
 * and register.  Copies (R) in Axe are modes of stride 0 in CuTe. */
#ifndef TG_LAYOUT_CUTE_CONVERT_H
#define TG_LAYOUT_CUTE_CONVERT_H

#include "layout/cute/layout.h"
#include "layout/shape.h"

/* The layout of rank shape->rank (of rank 1 or 0, without a tuple around it) whose mode i is
 * dimension i.  TG_ERR_INVALID if the shape does not have the size of D.  TG_ERR_UNSUPPORTED if
 * there are copies or more than one axis, or an axis not of memory, or if an iter of D is in two
 * dimensions that do not divide it. */
tg_status tg_cute_from_axe(const tg_axe *axe, const tg_shape *shape, tg_cute *out, tg_diags *diags);

/* The layout on an axis of memory.  TG_ERR_INVALID if the shape does not have the size of the
 * layout, or if the axis is not of memory.  TG_ERR_UNSUPPORTED if a mode is in two dimensions that
 * do not divide it. */
tg_status tg_cute_to_axe(const tg_cute *cute, const tg_shape *shape, tg_axis axis, tg_axe *out,
                         tg_diags *diags);

/* What T and V are in Axe: with one axis, T is its index; with more, mode i of T is that of
 * axis i. */
typedef struct tg_cute_axes {
    int count;
    tg_axis thread[TG_AXIS_COUNT]; /* or of devices; from the innermost */
    tg_axis value;                 /* of memory */
} tg_cute_axes;

/* (T, V) of a layout on axes of threads and devices, and at most one of memory, which are told in
 * `axes` (value: reg, if there is none).  TG_ERR_INVALID if the shape does not have the size of D.
 * TG_ERR_UNSUPPORTED if there is a swizzle or an offset; if elements share a place; if the iters of
 * an axis, those of D and those of R, do not take each index from 0 on once; or if an iter of D is
 * in two dimensions that do not divide it. */
tg_status tg_cute_from_axe_tv(const tg_axe *axe, const tg_shape *shape, tg_cute *out,
                              tg_cute_axes *axes, tg_diags *diags);

/* TG_ERR_INVALID if the layout does not have rank 2, if T does not have a mode for each axis, or if
 * the axes are none of these kinds or do not fit together.  TG_ERR_UNSUPPORTED if there is a
 * swizzle or an offset; if the modes, but those of stride 0, do not take each element of the shape
 * once, so that the map the other way would be none; or if a mode is in two dimensions that do not
 * divide it. */
tg_status tg_cute_to_axe_tv(const tg_cute *cute, const tg_shape *shape, const tg_cute_axes *axes,
                            tg_axe *out, tg_diags *diags);

#endif
