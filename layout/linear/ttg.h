/* What Triton's attributes of layouts and of encodings are made of. */
#ifndef TG_LAYOUT_LINEAR_TTG_H
#define TG_LAYOUT_LINEAR_TTG_H

#include "layout/scan.h"
#include "layout/shape.h"

/* A name of letters, digits and '_', of less than `size` bytes. */
tg_status tg_ttg_name(tg_scanner *s, char *name, size_t size);

/* An integer from 0 on. */
tg_status tg_ttg_number(tg_scanner *s, int64_t *out);

/* "[1, 2]" */
tg_status tg_ttg_list(tg_scanner *s, tg_shape *out);

#endif
