/* Runs of elements: consecutive elements of a view, row-major, stored densely. */
#ifndef TG_CHECKS_UNDEFINED_RUNS_H
#define TG_CHECKS_UNDEFINED_RUNS_H

#include "ir/view.h"

/* tg_take_run copies `count` elements of `bytes` each, from element `first` of the view on, to a
 * run; tg_put_run copies them back from a run. */
void tg_take_run(const tg_view *view, int64_t first, int64_t count, size_t bytes, void *to);
void tg_put_run(const tg_view *view, int64_t first, int64_t count, size_t bytes, const void *from);

#endif
