/* CuTe's layouts: functions from integers to integers, on the coordinates of a nested shape.
 *
 *     L(c) = sum of c_i * d_i   over the integers s_i of the shape and d_i of the stride
 *
 * The integers of a coordinate are the digits of an index with the first the fastest
 * (colexicographic), so each layout takes an index, a coordinate like its shape, and all between.
 * Beyond the size, the last digit goes on without a bound; L(-i) = -L(i).  (NVIDIA CUTLASS,
 * media/docs/cpp/cute/01_layout.md; include/cute/layout.hpp for what is beyond the size.)
 *
 * A swizzle may follow, after an offset: Sw(offset + L(c)).  Strides on basis elements, as CuTe has
 * them for TMA tensors, are not known here. */
#ifndef TG_LAYOUT_CUTE_LAYOUT_H
#define TG_LAYOUT_CUTE_LAYOUT_H

#include "layout/axe.h"
#include "layout/cute/tuple.h"

/* Made by tg_cute_begin, then the functions below; valid once tg_cute_check accepts it: then its
 * size and its bounds fit. */
typedef struct tg_cute {
    tg_tuple shape, stride; /* congruent */
    int64_t offset;
    tg_swizzle swizzle; /* of axis m, if it has bits */
} tg_cute;

/* Nothing: modes are to be put.  Offset 0, no swizzle. */
void tg_cute_begin(tg_cute *cute);

void tg_cute_put(tg_cute *cute, int64_t extent, int64_t stride);
int tg_cute_open(tg_cute *cute);
void tg_cute_close(tg_cute *cute, int at);

/* Appends node `at` of another layout, with all within it, but not its offset and swizzle. */
void tg_cute_put_node(tg_cute *cute, const tg_cute *from, int at);

void tg_cute_copy(const tg_cute *from, tg_cute *to);

/* `out` becomes node `at` of a layout, with its offset and swizzle.  They may be one layout. */
void tg_cute_take(const tg_cute *from, int at, tg_cute *out);

/* Whether the layout keeps the rules above.  TG_ERR_INVALID with the reason: an extent below 1, a
 * size, a stride or an index that does not fit, an invalid swizzle; TG_ERR_UNSUPPORTED if it is too
 * large a tuple. */
tg_status tg_cute_check(const tg_cute *cute, tg_diags *diags);

/* TG_ERR_UNSUPPORTED if it has a swizzle or an offset, which `operation` cannot carry. */
tg_status tg_cute_check_plain(const tg_cute *cute, const char *operation, tg_diags *diags);

bool tg_cute_is_plain(const tg_cute *cute);

/* Elements, and 1 + the distance of the least and the most index before offset and swizzle. */
int64_t tg_cute_size(const tg_cute *cute);
int64_t tg_cute_cosize(const tg_cute *cute);

int tg_cute_rank(const tg_cute *cute);

/* The index of element i, 0 <= i < size. */
int64_t tg_cute_map(const tg_cute *cute, int64_t i);

/* As tg_cute_map, for any i.  False if a number on the way does not fit in 63 bits. */
bool tg_cute_map_beyond(const tg_cute *cute, int64_t i, int64_t *out);

/* The index at a coordinate.  TG_ERR_INVALID if it is not in this shape. */
tg_status tg_cute_map_at(const tg_cute *cute, const tg_tuple *coordinate, int64_t *out,
                         tg_diags *diags);

/* The coordinate, like the shape, of what is one in it: an index, or a coordinate in which integers
 * stand for tuples.  TG_ERR_INVALID if it is not one. */
tg_status tg_cute_coordinate(const tg_tuple *shape, const tg_tuple *coordinate, tg_tuple *out,
                             tg_diags *diags);

#endif
