/* Walks over all indices of a shape, row-major. */
#ifndef TG_INTERP_STATE_INDEX_WALK_H
#define TG_INTERP_STATE_INDEX_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/type.h"

typedef struct tg_index_walk {
    int rank;
    int64_t shape[TG_MAX_RANK], at[TG_MAX_RANK];
} tg_index_walk;

/* Goes to the first index; returns false if the shape has no elements. */
static inline bool tg_index_begin(tg_index_walk *walk, int rank, const int64_t *shape)
{
    walk->rank = rank;
    for (int d = 0; d < rank; d++) {
        if (shape[d] <= 0) return false;
        walk->shape[d] = shape[d];
        walk->at[d] = 0;
    }
    return true;
}

/* Goes to the next index.  Returns false after the last one, and is at the first one again then. */
static inline bool tg_index_next(tg_index_walk *walk)
{
    for (int d = walk->rank; d-- > 0;) {
        if (++walk->at[d] < walk->shape[d]) return true;
        walk->at[d] = 0;
    }
    return false;
}

static inline int64_t tg_index_offset(const tg_index_walk *walk, const int64_t *stride)
{
    int64_t offset = 0;
    for (int d = 0; d < walk->rank; d++) offset += walk->at[d] * stride[d];
    return offset;
}

#endif
