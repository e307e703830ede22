/* The parts of Python's notation for objects: names, tuples. */
#ifndef TG_LAYOUT_MOSAIC_PYTHON_H
#define TG_LAYOUT_MOSAIC_PYTHON_H

#include "layout/scan.h"
#include "layout/shape.h"

/* TG_ERR_SYNTAX with the offset if what follows is not `c`, or not the name. */
tg_status tg_python_expect(tg_scanner *s, char c);
tg_status tg_python_expect_name(tg_scanner *s, const char *name);

/* "name=" if it is there: Python prints it, people may leave it out. */
tg_status tg_python_keyword(tg_scanner *s, const char *name);

/* "(2, 16)", "(8,)", "()".  TG_ERR_UNSUPPORTED for more than TG_SHAPE_MAX_RANK integers. */
tg_status tg_python_tuple(tg_scanner *s, tg_shape *out);

#endif
