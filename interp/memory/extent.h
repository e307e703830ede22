/* Extents: places in memory in bytes, and whether two of them meet. */
#ifndef TG_INTERP_MEMORY_EXTENT_H
#define TG_INTERP_MEMORY_EXTENT_H

#include "interp/memory/box.h"
#include "interp/state/ref.h"

/* Bytes of memory: a run at each place of a strided box.  The last dimension is the run, of stride
 * 1; strides fall. */
typedef struct tg_extent {
    const unsigned char *first;
    int rank; /* 0: no bytes at all */
    int64_t count[TG_MAX_RANK + 1], stride[TG_MAX_RANK + 1];
} tg_extent;

/* The elements, each of `bytes`, of the ref, or of the box, that are inside the array. */
tg_extent tg_ref_extent(const tg_ref *ref, int rank, size_t bytes);
tg_extent tg_box_extent(const tg_box *box, size_t bytes);

/* The first byte of `a` that `b` has as well, or NULL. */
const unsigned char *tg_extents_meet(const tg_extent *a, const tg_extent *b);

#endif
