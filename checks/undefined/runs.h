/* Runs of elements: row-major elements of a view, one behind the other. */
#ifndef TG_CHECKS_UNDEFINED_RUNS_H
#define TG_CHECKS_UNDEFINED_RUNS_H

#include "ir/view.h"

/* `count` elements of `bytes` each, from number `first` of the view on, taken to a run or put from
 * one. */
void tg_take_run(const tg_view *view, int64_t first, int64_t count, size_t bytes, void *to);
void tg_put_run(const tg_view *view, int64_t first, int64_t count, size_t bytes, const void *from);

#endif
