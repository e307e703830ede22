/* Layouts as text and as JSON. */
#ifndef TG_LAYOUT_PRINT_H
#define TG_LAYOUT_PRINT_H

#include "base/text.h"
#include "layout/axe.h"

/* Appends the text that tg_axe_read reads as the same iters, offset and swizzle.  Axis m is not
 * written if the layout has no other. */
void tg_axe_print(const tg_axe *axe, tg_text *out);

/* Appends two lines, extents over strides, as the paper writes layouts; axes are always written:
 *
 *     (   8       2       4       2   )   (   2    )
 *     ( 4@lane, 1@warp, 1@lane, 1@reg ) + ( 4@warp ) + 5@warp                    */
void tg_axe_print_rows(const tg_axe *axe, tg_text *out);

/* Appends {"D":[[8,4,"lane"], ..], "R":[..], "O":{"warp":5}, "swizzle":{"axis":"m","unit":"element",
 * "bits":3,"base":4,"shift":3}} without what is empty, except D.  An iter of stride 0 has no axis;
 * integers from 2^53 on are strings. */
void tg_axe_print_json(const tg_axe *axe, tg_text *out);

#endif
