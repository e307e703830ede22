/* Linear layouts as text. */
#ifndef TG_LAYOUT_LINEAR_PRINT_H
#define TG_LAYOUT_LINEAR_PRINT_H

#include "base/text.h"
#include "layout/linear/linear.h"

/* Appends Triton's attribute, #ttg.linear<{register = [[0, 1], [8, 0]], lane = [], ..}>, if that says
 * all: the out dimensions are dim0, dim1, .., none larger than its bases need.  Otherwise
 * {register = [[1], [2]]} -> (out = 8). */
void tg_linear_print(const tg_linear *linear, tg_text *out);

/* Appends what Triton's LinearLayout::toString makes: a line for each basis. */
void tg_linear_print_lines(const tg_linear *linear, tg_text *out);

#endif
