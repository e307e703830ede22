/* Shapes, strides and coordinates of tiled arrays, which have more dimensions than tg_shape holds. */
#ifndef TG_LAYOUT_MOSAIC_DIMS_H
#define TG_LAYOUT_MOSAIC_DIMS_H

#include "layout/shape.h"

enum { TG_DIMS_MAX_RANK = 80 };

typedef struct tg_dims {
    int rank;
    int64_t at[TG_DIMS_MAX_RANK];
} tg_dims;

/* Shapes with a rank of at most TG_SHAPE_MAX_RANK, and back. */
void tg_dims_of(const tg_shape *shape, tg_dims *out);
void tg_dims_shape(const tg_dims *dims, tg_shape *out);

/* Appends "(2, 16, 8)", and "(8,)" for rank 1, as Python prints tuples. */
void tg_dims_print(const int64_t *at, int rank, tg_text *out);

/* The strides of a row-major array.  The product of the extents fits in 63 bits. */
void tg_dims_row_major(const tg_dims *shape, tg_dims *strides);

#endif
