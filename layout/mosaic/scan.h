/* The parts of Python's notation for objects: names, integers, tuples. */
#ifndef TG_LAYOUT_MOSAIC_SCAN_H
#define TG_LAYOUT_MOSAIC_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "layout/mosaic/dims.h"

typedef struct tg_scan {
    const char *text;
    size_t length, at;
    tg_diags *diags;
} tg_scan;

/* The next byte that is not white space, or 0 at the end. */
char tg_scan_peek(tg_scan *s);

bool tg_scan_accept(tg_scan *s, char c);

/* Accepts a name: letters, digits and underscores, exactly those of `name`. */
bool tg_scan_word(tg_scan *s, const char *name);

/* TG_ERR_SYNTAX with the offset if what follows is not `c`, or not `name`. */
tg_status tg_scan_expect(tg_scan *s, char c);
tg_status tg_scan_expect_word(tg_scan *s, const char *name);

/* "name=" if it is there: Python prints it, people may leave it out. */
tg_status tg_scan_keyword(tg_scan *s, const char *name);

/* TG_ERR_SYNTAX for what is no integer, TG_ERR_INVALID for one that does not fit in 63 bits. */
tg_status tg_scan_integer(tg_scan *s, int64_t *out);

/* "(2, 16)", "(8,)", "()".  TG_ERR_UNSUPPORTED for more than TG_SHAPE_MAX_RANK integers. */
tg_status tg_scan_tuple(tg_scan *s, tg_shape *out);

tg_status tg_scan_end(tg_scan *s);

/* TG_ERR_SYNTAX: `what` was expected here. */
tg_status tg_scan_wrong(tg_scan *s, const char *what);

#endif
