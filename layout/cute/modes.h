/* The modes of a layout without their nesting, and coalescing them. */
#ifndef TG_LAYOUT_CUTE_MODES_H
#define TG_LAYOUT_CUTE_MODES_H

#include "layout/cute/layout.h"

typedef struct tg_mode {
    int64_t extent, stride;
} tg_mode;

typedef struct tg_modes {
    int count;
    tg_mode list[TG_TUPLE_MOST_INTEGERS];
} tg_modes;

/* Of a node of a layout, the fastest first. */
void tg_modes_of(const tg_cute *cute, int at, tg_modes *out);

/* Appends a leaf for one mode, a tuple for several; 1:0 for none. */
void tg_modes_put(const tg_modes *modes, tg_cute *out);

/* Drops extents of 1 and merges s0:d0, s1:(s0 d0) into (s0 s1):d0: the same map within the size. */
void tg_modes_coalesce(tg_modes *modes);

/* As tg_modes_coalesce, but what comes last stays last, so that the map is the same beyond the size as
 * well, where the last mode goes on: (4,1):(1,0) is not 4:1.  At least one mode is left, and only the last
 * can have extent 1. */
void tg_modes_coalesce_beyond(tg_modes *modes);

/* Sorts by stride; the same strides stay in order. */
void tg_modes_sort(tg_modes *modes);

#endif
