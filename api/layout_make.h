/* Making a layout of the public interface. */
#ifndef TG_API_LAYOUT_MAKE_H
#define TG_API_LAYOUT_MAKE_H

#include "base/diag.h"
#include "tilegrind/layout.h"

/* A layout to be filled in; NULL without memory. */
tg_status tg_layout_new(tg_layout **out, tg_diags *diags);

/* Ends a call that makes a layout: frees it where that failed.  Returns `status`. */
tg_status tg_layout_made(tg_layout **out, tg_status status, tg_diags *unwanted);

#endif
