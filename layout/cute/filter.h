/* What of a layout moves: its modes of stride 0 are copies. */
#ifndef TG_LAYOUT_CUTE_FILTER_H
#define TG_LAYOUT_CUTE_FILTER_H

#include "layout/cute/layout.h"

/* Coalesced, without the modes of stride 0: all indices of the layout, each as often as the other modes
 * have it. */
void tg_cute_filter(const tg_cute *cute, tg_cute *out);

/* The elements that are where element 0 is, because they differ in digits of stride 0 only: a layout N
 * onto such elements, ascending, with L(N(i)) = L(0).  1:0 if there is no mode of stride 0.  Its size
 * times that of the filtered layout is the size of L. */
void tg_cute_nullspace(const tg_cute *cute, tg_cute *out);

#endif
