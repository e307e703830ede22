/* Source locations as text. */
#ifndef TG_IR_LOC_H
#define TG_IR_LOC_H

#include "ir/ir.h"

enum { TG_LOC_TEXT = 512 };

/* Prints " (FILE:LINE)", or "" if the location is unknown.  Returns `out`. */
char *tg_loc_print(const tg_loc *loc, char out[TG_LOC_TEXT]);

#endif
