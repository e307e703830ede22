/* For each element of an access: its address, whether it is present, and its bits.
 *
 * The interpreter handles boxes of memory separately from accesses by element.  Here all accesses
 * go by element, and conditions that are known to hold for all elements are not tested for each. */
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
    bool is_array;        /* positions come from an operand; otherwise from a slice or a scalar */
    bool is_legal;        /* known to lie within the ref; otherwise each element is tested */
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
    /* first: the address of result index [0,...], without the contribution of index arrays; for a
     * ref without strides, the element's linear index instead of the address.  unit: the size of
     * one element in that measure. */
    tg_ptx_uniform first;
    tg_ptx_reg base; /* `first` in a register */
    int64_t unit;
    bool is_zero_outside; /* elements that are not present read as 0 */
} tg_ptx_walk;

/* One element of the access.  A predicate that always holds has no register. */
typedef struct tg_ptx_element {
    tg_ptx_reg index[TG_MAX_RANK];
    tg_ptx_pieces pieces;                /* one piece, unless the ref has no strides */
    tg_ptx_reg mask, is_legal, is_there; /* is_there: inside the array, legal, and not masked off */
    bool has_mask, may_be_illegal, may_be_absent;
} tg_ptx_element;

/* Call it after the barrier for the access's operands: it reads the scalar indices. */
tg_ptx_walk tg_ptx_walk_access(tg_ptx_emitter *em, const tg_access_plan *a);

static inline int tg_ptx_element_bytes(const tg_ptx_walk *w)
{
    return tg_dtypes[w->a->dtype].bytes;
}

/* Whether dimension `d` is known to lie wholly inside its array.  Writes no rows. */
bool tg_ptx_is_inside(tg_ptx_emitter *em, const tg_access_plan *a, int d);

/* The address of result index [0,...]; the ref must have strides. */
tg_ptx_uniform tg_ptx_access_base(tg_ptx_emitter *em, const tg_access_plan *a);

/* Finds an element by its linear index (.b32).  Reports it if it lies outside the ref and is not
 * masked off. */
tg_ptx_element tg_ptx_find(tg_ptx_emitter *em, const tg_ptx_walk *w, tg_ptx_reg number);

/* Read and write the element's bits in memory.  An element that is not present reads as undefined
 * or 0, and a write to it does nothing. */
tg_ptx_reg tg_ptx_read_bits(tg_ptx_emitter *em, const tg_ptx_walk *w, const tg_ptx_element *e);
void tg_ptx_write_bits(tg_ptx_emitter *em, const tg_ptx_walk *w, const tg_ptx_element *e,
                       tg_ptx_reg bits);

/* A loop over the elements of a store.  With index arrays, several may be the same element of
 * memory; then the last one, row-major, must win. */
tg_ptx_loop tg_ptx_begin_stores(tg_ptx_emitter *em, const tg_ptx_walk *w);
void tg_ptx_end_stores(tg_ptx_emitter *em, const tg_ptx_walk *w, const tg_ptx_loop *loop);

#endif
