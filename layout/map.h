/* The map of a layout, by its definition: from an element to its set of coordinates. */
#ifndef TG_LAYOUT_MAP_H
#define TG_LAYOUT_MAP_H

#include "layout/axe.h"

typedef struct tg_coordinate {
    int64_t at[TG_AXIS_COUNT];
} tg_coordinate;

/* What operations that go through all elements and copies refuse to exceed. */
#define TG_AXE_MOST_POINTS (INT64_C(1) << 24)

/* Where digit 0 of every iter is, with the digits of element x, before a swizzle. */
void tg_axe_unswizzled(const tg_axe *axe, int64_t x, tg_coordinate *out);

/* Adds the digits of copy `r`, row-major in R, before a swizzle. */
void tg_axe_add_copy(const tg_axe *axe, int64_t r, tg_coordinate *coordinate);

/* Copy `r` of element x: the map.  0 <= x < size of D, 0 <= r < size of R. */
void tg_axe_map(const tg_axe *axe, int64_t x, int64_t r, tg_coordinate *out);

/* The coordinates on one axis of elements first, .., first + count - 1, each in its copy 0. */
void tg_axe_map_many(const tg_axe *axe, tg_axis axis, int64_t first, int64_t count, int64_t *out);

#endif
