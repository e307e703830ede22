/* Linear layouts from text. */
#ifndef TG_LAYOUT_LINEAR_READ_H
#define TG_LAYOUT_LINEAR_READ_H

#include "layout/linear/linear.h"

/* Reads what tg_linear_print and tg_linear_print_lines make:
 *
 *     layout  = "#ttg.linear" "<" bases ">" | bases [ "->" outs ]
 *     bases   = "{" [ name "=" "[" [ basis { "," basis } ] "]" { "," .. } ] "}"
 *     basis   = "[" [ number { "," number } ] "]"
 *     outs    = "(" [ name [ "=" number ] { "," .. } ] ")"
 *
 * #ttg.shared_linear is read too.  Without "->", the out dimensions are dim0, dim1, .., one for
 * each number of a basis.  A size that is not written is the least that the bases need.
 *
 * TG_ERR_SYNTAX for a text that is not of this form, TG_ERR_INVALID for an invalid layout: bases of
 * different lengths, a basis beyond the size, a size that is no power of two.  Diagnoses have the
 * offset in `text`. */
tg_status tg_linear_read(const char *text, size_t length, tg_linear *out, tg_diags *diags);

#endif
