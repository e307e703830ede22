/* CuTe's layouts, tuples and tilers as text, as CuTe prints them. */
#ifndef TG_LAYOUT_CUTE_TEXT_H
#define TG_LAYOUT_CUTE_TEXT_H

#include "base/text.h"
#include "layout/cute/tiler.h"

/* Each reads a whole text.  White space may stand between all parts; an integer may be static, _8, or
 * _-1, which means the same as 8 and -1.
 *
 *     tuple  = integer | "(" tuple { "," tuple } ")"
 *     layout = [ "Sw<" bits "," base "," shift "> o" offset "o" ] tuple ":" tuple
 *     tiler  = "_" | layout | tuple | "<" tiler { "," tiler } ">"
 *
 * A tuple as a tiler is a shape: its integers are layouts of stride 1, mode by mode.
 *
 * TG_ERR_SYNTAX with the offset for a text that is not of this form; else what tg_cute_check refuses. */
tg_status tg_tuple_read(const char *text, size_t length, tg_tuple *out, tg_diags *diags);
tg_status tg_cute_read(const char *text, size_t length, tg_cute *out, tg_diags *diags);
tg_status tg_tiler_read(const char *text, size_t length, tg_tiler *out, tg_diags *diags);

/* Appends what these functions read as the same.  A layout with an offset and no swizzle begins with
 * Sw<0,0,0>, which CuTe knows as a swizzle that changes nothing. */
void tg_tuple_print(const tg_tuple *tuple, tg_text *out);
void tg_cute_print(const tg_cute *cute, tg_text *out);

#endif
