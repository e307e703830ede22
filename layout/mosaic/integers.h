/* Shapes, strides and coordinates of tiled arrays, which have more dimensions than tg_shape holds. */
#ifndef TG_LAYOUT_MOSAIC_INTEGERS_H
#define TG_LAYOUT_MOSAIC_INTEGERS_H

#include "layout/shape.h"

enum { TG_INTEGERS_MAX = 80 };

typedef struct tg_integers {
    int rank;
    int64_t at[TG_INTEGERS_MAX];
} tg_integers;

/* Shapes with a rank of at most TG_SHAPE_MAX_RANK, and back. */
void tg_integers_of(const tg_shape *shape, tg_integers *out);
void tg_integers_shape(const tg_integers *dims, tg_shape *out);

/* Appends "(2, 16, 8)", and "(8,)" for rank 1, as Python prints tuples. */
void tg_integers_print(const int64_t *at, int rank, tg_text *out);

/* The strides of a row-major array.  The product of the extents fits in 63 bits. */
void tg_integers_row_major(const tg_integers *shape, tg_integers *strides);

#endif
