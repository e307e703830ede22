/* Layouts from text: (8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp. */
#ifndef TG_LAYOUT_READ_H
#define TG_LAYOUT_READ_H

#include "layout/axe.h"

/* Reads a layout, checked as tg_axe_check does.
 *
 *     layout   = [ "Sw<" bits "," base "," shift ">" [ "@" axis ] "o" ] iters { more }
 *     iters    = number ":" stride | "(" numbers ")" ":" "(" strides ")"
 *     more     = ( "+" | "-" ) number [ "@" axis ] | "+" "[" iters { "," iters } "]"
 *     stride   = number [ "@" axis ]
 *
 * An axis that is not written is m.  The swizzle is applied last.
 *
 * TG_ERR_SYNTAX for a text that is not of this form, TG_ERR_INVALID for an invalid layout: an axis
 * that does not exist, not as many strides as extents, axes that are not connected.  Diagnoses have
 * the offset in `text`. */
tg_status tg_axe_read(const char *text, size_t length, tg_axe *out, tg_diags *diags);

#endif
