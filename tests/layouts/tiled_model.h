/* Tilings and tiled layouts by brute force, and random ones.  The model uses nothing of layout/ but the
 * structs. */
#ifndef TG_TESTS_LAYOUTS_TILED_MODEL_H
#define TG_TESTS_LAYOUTS_TILED_MODEL_H

#include "layout/mosaic/fragment.h"
#include "layouts/model.h"

enum { THREADS = 128, UNFOLDED_MOST = MODEL_MOST };

/* An array whose elements are their own row-major indices, rearranged. */
typedef struct unfolded {
    int rank;
    int64_t extent[TG_INTEGERS_MAX];
    int size;
    int element[UNFOLDED_MOST];
} unfolded;

void unfold_begin(const tg_shape *shape, unfolded *out);

/* Splits each of the last dimensions into quotient and rest, and moves the rests to the end.  False if a
 * tile does not divide an extent, or has too many. */
bool unfold_by(const tg_shape *tile, unfolded *array);
bool unfold_all(const tg_tiling *tiling, const tg_shape *shape, unfolded *out);

/* Exchanges dimensions as numpy.transpose does. */
void unfold_transpose(const int *permutation, unfolded *array);

/* The coordinate of a position in an array of extents. */
void digits_of(const int64_t *extent, int rank, int64_t index, int64_t *out);

/* What each thread of a warpgroup holds: element[t * values + v], or -1. */
typedef struct holdings {
    int64_t values, length; /* of a thread; of a vector */
    int element[MODEL_MOST];
} holdings;

/* The definition: warps and lanes count dimensions of the tiled array, registers are the rest. */
bool holdings_of(const tg_tiled *tiled, const tg_shape *shape, holdings *out);
bool holdings_same(const holdings *a, const holdings *b);

/* A layout that tg_tiled_check accepts, canonical or not, of at most MODEL_MOST elements and copies, and
 * an array that has it. */
void random_tiled(chance *c, tg_tiled *out, tg_shape *shape);

#endif
