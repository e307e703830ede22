/* The parts of Python's notation for objects: names, integers, tuples. */
#ifndef TG_LAYOUT_MOSAIC_PYTHON_H
#define TG_LAYOUT_MOSAIC_PYTHON_H

#include <stdbool.h>
#include <stddef.h>

#include "layout/mosaic/integers.h"

typedef struct tg_python {
    const char *text;
    size_t length, at;
    tg_diags *diags;
} tg_python;

/* The next byte that is not white space, or 0 at the end. */
char tg_python_peek(tg_python *s);

bool tg_python_accept(tg_python *s, char c);

/* Accepts a name: letters, digits and underscores, exactly those of `name`. */
bool tg_python_word(tg_python *s, const char *name);

/* TG_ERR_SYNTAX with the offset if what follows is not `c`, or not `name`. */
tg_status tg_python_expect(tg_python *s, char c);
tg_status tg_python_expect_word(tg_python *s, const char *name);

/* "name=" if it is there: Python prints it, people may leave it out. */
tg_status tg_python_keyword(tg_python *s, const char *name);

/* TG_ERR_SYNTAX for what is no integer, TG_ERR_INVALID for one that does not fit in 63 bits. */
tg_status tg_python_integer(tg_python *s, int64_t *out);

/* "(2, 16)", "(8,)", "()".  TG_ERR_UNSUPPORTED for more than TG_SHAPE_MAX_RANK integers. */
tg_status tg_python_tuple(tg_python *s, tg_shape *out);

tg_status tg_python_end(tg_python *s);

/* TG_ERR_SYNTAX: `what` was expected here. */
tg_status tg_python_wrong(tg_python *s, const char *what);

#endif
