/* Shapes of arrays, and coordinates in them. */
#ifndef TG_LAYOUT_SHAPE_H
#define TG_LAYOUT_SHAPE_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/text.h"

enum { TG_SHAPE_MAX_RANK = 16 };

typedef struct tg_shape {
    int rank;
    int64_t extent[TG_SHAPE_MAX_RANK];
} tg_shape;

/* Reads "(8,16)", "8,16", "[8,16]" or "8": a shape, or a coordinate; "()" has rank 0.  Integers may be
 * negative.  TG_ERR_SYNTAX with the offset in `text`. */
tg_status tg_shape_read(const char *text, size_t length, tg_shape *out, tg_diags *diags);

/* Appends "(8,16)", and "(8)" for rank 1. */
void tg_shape_print(const tg_shape *shape, tg_text *out);

/* The product of the extents.  TG_ERR_INVALID if an extent is below 1, or if it does not fit in 63
 * bits. */
tg_status tg_shape_size(const tg_shape *shape, int64_t *out, tg_diags *diags);

/* The row-major index of a coordinate.  TG_ERR_INVALID if it is not in the shape. */
tg_status tg_shape_index(const tg_shape *shape, const tg_shape *coordinate, int64_t *out,
                         tg_diags *diags);

/* The coordinate of a row-major index. */
void tg_shape_coordinate(const tg_shape *shape, int64_t index, tg_shape *out);

#endif
