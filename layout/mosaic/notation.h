/* The parts of Python's notation for objects: names, integers, tuples. */
#ifndef TG_LAYOUT_MOSAIC_NOTATION_H
#define TG_LAYOUT_MOSAIC_NOTATION_H

#include <stdbool.h>
#include <stddef.h>

#include "layout/mosaic/integers.h"

typedef struct tg_notation {
    const char *text;
    size_t length, at;
    tg_diags *diags;
} tg_notation;

/* The next byte that is not white space, or 0 at the end. */
char tg_notation_peek(tg_notation *s);

bool tg_notation_accept(tg_notation *s, char c);

/* Accepts a name: letters, digits and underscores, exactly those of `name`. */
bool tg_notation_word(tg_notation *s, const char *name);

/* TG_ERR_SYNTAX with the offset if what follows is not `c`, or not `name`. */
tg_status tg_notation_expect(tg_notation *s, char c);
tg_status tg_notation_expect_word(tg_notation *s, const char *name);

/* "name=" if it is there: Python prints it, people may leave it out. */
tg_status tg_notation_keyword(tg_notation *s, const char *name);

/* TG_ERR_SYNTAX for what is no integer, TG_ERR_INVALID for one that does not fit in 63 bits. */
tg_status tg_notation_integer(tg_notation *s, int64_t *out);

/* "(2, 16)", "(8,)", "()".  TG_ERR_UNSUPPORTED for more than TG_SHAPE_MAX_RANK integers. */
tg_status tg_notation_tuple(tg_notation *s, tg_shape *out);

tg_status tg_notation_end(tg_notation *s);

/* TG_ERR_SYNTAX: `what` was expected here. */
tg_status tg_notation_wrong(tg_notation *s, const char *what);

#endif
