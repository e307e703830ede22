/* For each element of an access: where it is, whether it is there, and its bits.
 *
 * The interpreter tells boxes of memory from accesses by element; here all go by element, and what
 * is known to hold for all of them is not asked for each. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_ACCESS_WALK_H
#define TG_GPU_BACKEND_INSTRUCTIONS_ACCESS_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/instructions/recast.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"
#include "plan/plan.h"

/* One dimension of the ref. */
typedef struct tg_ptx_source {
    bool is_array;        /* positions come from an operand, else from a slice or a scalar */
    bool is_legal;        /* known to lie within the ref; else each element is asked */
    bool is_inside;       /* known to lie within the array */
    tg_ptx_uniform begin; /* slice or scalar */
    int64_t step;         /* slice */
    int result_dim;       /* slice; else -1 */
} tg_ptx_source;

typedef struct tg_ptx_walk {
    const tg_access_plan *a;
    const tg_ptx_ref *ref;
    int64_t count;
    tg_ptx_source dims[TG_MAX_RANK];
    /* Of result index [0,...], but for positions of arrays: the address, or of refs without strides
     * the number of the element; and what one element is in it. */
    tg_ptx_uniform first;
    tg_ptx_reg base; /* that, in a register */
    int64_t unit;
} tg_ptx_walk;

/* One element of the access.  Predicates have no name where they are always set. */
typedef struct tg_ptx_element {
    tg_ptx_reg index[TG_MAX_RANK];
    tg_ptx_pieces pieces;                /* one of them, unless the ref has no strides */
    tg_ptx_reg mask, is_legal, is_there; /* is_there: within the array, legal, and not masked off */
    bool has_mask, may_be_illegal, may_be_absent;
} tg_ptx_element;

/* To be called when all touches are settled: reads the scalars among the indices. */
tg_ptx_walk tg_ptx_walk_access(tg_ptx_emitter *em, const tg_access_plan *a);

static inline int tg_ptx_element_bytes(const tg_ptx_walk *w)
{
    return tg_dtypes[w->a->dtype].bytes;
}

/* Whether all of dimension `d` is known to lie in its array, before any row is written. */
bool tg_ptx_is_inside(tg_ptx_emitter *em, const tg_access_plan *a, int d);

/* Address of result index [0,...]; of a ref with strides. */
tg_ptx_uniform tg_ptx_access_base(tg_ptx_emitter *em, const tg_access_plan *a);

/* Finds an element by its number (.b32); reports it if it lies outside the ref and is not masked
 * off. */
tg_ptx_element tg_ptx_find(tg_ptx_emitter *em, const tg_ptx_walk *w, tg_ptx_reg number);

/* The element's bits in memory; those of an undefined one where it is not there.  Nothing is
 * written where it is not. */
tg_ptx_reg tg_ptx_read_bits(tg_ptx_emitter *em, const tg_ptx_walk *w, const tg_ptx_element *e);
void tg_ptx_write_bits(tg_ptx_emitter *em, const tg_ptx_walk *w, const tg_ptx_element *e,
                       tg_ptx_reg bits);

/* A loop over elements that are written.  They may be the same where positions come from arrays:
 * then the last one, row-major, stays. */
tg_ptx_loop tg_ptx_begin_stores(tg_ptx_emitter *em, const tg_ptx_walk *w);
void tg_ptx_end_stores(tg_ptx_emitter *em, const tg_ptx_walk *w, const tg_ptx_loop *loop);

#endif
