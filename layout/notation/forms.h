/* The readers and printers of the notations. */
#ifndef TG_LAYOUT_NOTATION_FORMS_H
#define TG_LAYOUT_NOTATION_FORMS_H

#include "layout/notation/notation.h"

#define TG_NOTATION(id, name, means, example)                                                      \
    tg_notation_read tg_notation_read_##id;                                                        \
    tg_notation_print tg_notation_print_##id;
#include "layout/notation/notations.def"

#endif
