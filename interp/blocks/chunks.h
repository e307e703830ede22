/* A view with its dimensions in two groups: those that an op runs along, and those that it keeps.
 * The kept ones are walked in chunks of neighbouring elements. */
#ifndef TG_INTERP_BLOCKS_CHUNKS_H
#define TG_INTERP_BLOCKS_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/view.h"

/* Some dimensions of a view, in order. */
typedef struct tg_dims {
    int rank;
    int64_t count; /* product of the extents */
    int64_t shape[TG_MAX_RANK], stride[TG_MAX_RANK];
} tg_dims;

typedef struct tg_split {
    tg_dims kept, along;
} tg_split;

/* Splits a view; `along` is a set of dimensions, one bit each. */
tg_split tg_split_view(const tg_view *view, unsigned along);

/* Leaves out dimensions of size 1, and merges neighbouring ones that can be one dimension. */
void tg_dims_join(tg_dims *dims);

/* A run of kept elements, row-major: first <= i < first + dims.count. */
typedef struct tg_chunk {
    int64_t first;
    int64_t offset; /* of the first one in the view, in elements */
    tg_dims dims;
} tg_chunk;

/* Goes to the next chunk of at most `most` (>= 1) elements; `it` must be zeroed at first.  Returns
 * false at the end. */
bool tg_chunk_next(const tg_dims *kept, int64_t most, tg_chunk *it);

/* The dimensions of `a` before those of `b`, as a view of `data`. */
tg_view tg_dims_view(const void *data, const tg_dims *a, const tg_dims *b);

/* The number of kept elements to work on at once, so that all their elements along stay in the
 * cache. */
int64_t tg_chunk_size(const tg_split *split);

static inline const void *tg_element_at(const void *base, int64_t offset, size_t bytes)
{
    return (const char *)base + offset * (int64_t)bytes;
}

#endif
