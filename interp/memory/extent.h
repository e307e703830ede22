/* Extents: sets of bytes in memory, and whether two of them overlap. */
#ifndef TG_INTERP_MEMORY_EXTENT_H
#define TG_INTERP_MEMORY_EXTENT_H

#include "interp/memory/box.h"
#include "interp/state/ref.h"

/* The bytes of a strided box.  The last dimension is a run with stride 1; strides fall. */
typedef struct tg_extent {
    const unsigned char *first;
    int rank; /* 0: no bytes */
    int64_t count[TG_MAX_RANK + 1], stride[TG_MAX_RANK + 1];
} tg_extent;

/* The bytes of those elements of the ref, or of the box, that are inside the array; `bytes` for
 * each. */
tg_extent tg_ref_extent(const tg_ref *ref, int rank, size_t bytes);
tg_extent tg_box_extent(const tg_box *box, size_t bytes);

/* Bytes from the first to the last one, both included; for an extent with bytes. */
int64_t tg_extent_span(const tg_extent *extent);

/* Returns the first byte of `a` that is also in `b`; NULL if there is none. */
const unsigned char *tg_extents_meet(const tg_extent *a, const tg_extent *b);

#endif
