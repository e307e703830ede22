/* One side of a copy that runs beside a program: where its elements are, as of the copy's start. */
#ifndef TG_INTERP_SYNC_ASYNC_SIDE_H
#define TG_INTERP_SYNC_ASYNC_SIDE_H

#include "interp/memory/extent.h"
#include "interp/memory/recast.h"

/* Bytes that follow each other. */
typedef struct tg_async_run {
    unsigned char *first;
    int64_t bytes;
} tg_async_run;

typedef struct tg_async_side {
    const unsigned char *first, *end; /* all of its bytes are in between; equal: it has none */
    tg_ref ref;                       /* rank >= 1 */
    int rank;
    size_t bytes;     /* of an element */
    tg_extent extent; /* where the ref has strides */
    /* Else NULL.  The addresses of each element's pieces, row-major in the ref's shape, and NULL for
     * each that is outside the array; and all their bytes, by address. */
    unsigned char **places;
    int pieces;
    size_t piece_bytes;
    tg_async_run *runs;
    uint32_t run_count;
} tg_async_side;

/* Makes the side that is the whole ref, of `type`.  Returns false if memory runs out; free it in
 * either case. */
bool tg_async_side_init(tg_async_side *side, const tg_machine *m, const tg_ref *ref,
                        const tg_type *type);
void tg_async_side_free(tg_async_side *side);

/* Finds the element at `index`.  Returns false if it is outside the array, or the side lacks it. */
bool tg_async_side_find(const tg_async_side *side, const int64_t *index, tg_pieces *pieces);

/* Calls `visit` for each run of bytes of the side that follow each other. */
void tg_async_side_runs(const tg_async_side *side,
                        void (*visit)(void *context, const unsigned char *first, int64_t bytes),
                        void *context);

/* Makes the side that is the bytes of the extent. */
tg_async_side tg_async_side_of(const tg_extent *extent);

/* Returns the first byte of `extent` that is found to be one of the side; NULL: there is none. */
const unsigned char *tg_async_side_meets(const tg_async_side *side, const tg_extent *extent);

const unsigned char *tg_async_sides_met(const tg_async_side *a, const tg_async_side *b);

/* Returns the first byte of `a` that is found to be one of `b`; NULL: there is none.  Most sides are far
 * apart. */
static inline const unsigned char *tg_async_sides_meet(const tg_async_side *a,
                                                       const tg_async_side *b)
{
    return a->first < b->end && b->first < a->end ? tg_async_sides_met(a, b) : NULL;
}

#endif
