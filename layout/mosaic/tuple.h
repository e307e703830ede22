/* Shapes, strides and coordinates of tiled arrays, which have more dimensions than tg_shape holds. */
#ifndef TG_LAYOUT_MOSAIC_TUPLE_H
#define TG_LAYOUT_MOSAIC_TUPLE_H

#include "layout/shape.h"

enum { TG_TUPLE_MAX = 80 };

typedef struct tg_tuple {
    int rank;
    int64_t at[TG_TUPLE_MAX];
} tg_tuple;

/* Shapes with a rank of at most TG_SHAPE_MAX_RANK, and back. */
void tg_tuple_of(const tg_shape *shape, tg_tuple *out);
void tg_tuple_shape(const tg_tuple *dims, tg_shape *out);

/* Appends "(2, 16, 8)", and "(8,)" for rank 1, as Python prints tuples. */
void tg_tuple_print(const int64_t *at, int rank, tg_text *out);

/* The strides of a row-major array.  The product of the extents fits in 63 bits. */
void tg_tuple_row_major(const tg_tuple *shape, tg_tuple *strides);

#endif
