/* Boxes: accesses whose elements are a strided part of memory. */
#ifndef TG_INTERP_MEMORY_BOX_H
#define TG_INTERP_MEMORY_BOX_H

#include "interp/state/machine.h"
#include "ir/view.h"

/* An access without index arrays: a strided box of memory.  Indices below are those of the result;
 * a scalar result is a box of one dimension of one element. */
typedef struct tg_box {
    unsigned char *data;
    int64_t origin; /* element offset of result index [0,...] */
    int rank;
    int64_t shape[TG_MAX_RANK], stride[TG_MAX_RANK];
    int64_t low[TG_MAX_RANK],
        high[TG_MAX_RANK]; /* inside the ref and the array; empty: low = high */
    int64_t legal_low[TG_MAX_RANK], legal_high[TG_MAX_RANK]; /* inside the ref */
    bool is_inside;                                          /* all of it is inside both */
    bool is_legal;     /* all of it is inside the ref (perhaps not the array) */
    int bad_dim;       /* not legal: dimension of the ref ... */
    int64_t bad_index; /* ... and an index outside of it */
} tg_box;

/* Works out the box; in JAX's mode the access is moved first, as tg_clamp_slice says. */
void tg_box_of(const tg_machine *m, const tg_access_plan *a, tg_box *box);

/* Whether the access is no box: it goes through index arrays, or by a ref without strides; or JAX
 * moves even positions inside one by one, and then they are no slice any more.  Else `box` is what
 * it is. */
bool tg_access_is_scattered(const tg_machine *m, const tg_access_plan *a, tg_box *box);

/* Where JAX moves the start of a slice that spans `span` indices, of `extent`.  JAX lengthens what
 * a masked access reads or writes by one span, so that the slice may hang over the end by as
 * much. */
int64_t tg_clamp_slice(int64_t start, int64_t span, int64_t extent, bool is_masked);

/* Reports that the access reached `index` in dimension `dim` of its ref. */
void tg_report_access(tg_machine *m, const tg_inst *inst, const tg_access_plan *a, int dim,
                      int64_t index);

/* The operand as a view; one of a scalar has one dimension. */
tg_view tg_box_view(const tg_machine *m, const tg_operand *o);

#endif
