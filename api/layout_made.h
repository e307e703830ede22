/* Calls that make a layout of layouts. */
#ifndef TG_API_LAYOUT_MADE_H
#define TG_API_LAYOUT_MADE_H

#include "api/layout_impl.h"
#include "base/diag.h"
#include "layout/shape.h"

/* An operation: fills in `out` from the arguments of a call. */
typedef tg_status tg_layout_maker(const void *call, tg_axe *out, tg_diags *diags);

/* Makes a layout, or tells why not: then *out is NULL. */
tg_status tg_layout_make(tg_layout_maker *make, const void *call, tg_layout **out,
                         tg_errors *errors);

/* The same in two steps.  tg_layout_new gives a layout to be filled in, NULL without memory; tg_layout_made
 * ends the call, frees the layout where that failed, and returns `status`. */
tg_status tg_layout_new(tg_layout **out, tg_diags *diags);
tg_status tg_layout_made(tg_layout **out, tg_status status, tg_diags *unwanted);

/* A shape or a coordinate of a call.  TG_ERR_USAGE if it has too many dimensions. */
tg_status tg_layout_shape(const int64_t *shape, size_t rank, tg_shape *out, tg_diags *diags);

#endif
