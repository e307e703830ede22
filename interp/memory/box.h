/* Boxes: accesses whose elements are a strided part of memory. */
#ifndef TG_INTERP_MEMORY_BOX_H
#define TG_INTERP_MEMORY_BOX_H

#include "interp/state/machine.h"
#include "ir/view.h"

/* An access without index arrays: a strided box of memory.  Indices below are those of the result;
 * a scalar result is a box with one dimension of size 1. */
typedef struct tg_box {
    unsigned char *data;
    int64_t origin; /* element offset of result index [0,...] */
    int rank;
    int64_t shape[TG_MAX_RANK], stride[TG_MAX_RANK];
    int64_t low[TG_MAX_RANK],
        high[TG_MAX_RANK]; /* inside the ref and the array; empty: low = high */
    int64_t legal_low[TG_MAX_RANK], legal_high[TG_MAX_RANK]; /* inside the ref */
    bool is_inside;                                          /* all of it is inside both */
    bool is_legal;     /* all of it is inside the ref, but perhaps not inside the array */
    int bad_dim;       /* if not legal: a dimension of the ref ... */
    int64_t bad_index; /* ... and an index outside of it */
} tg_box;

/* Computes the box.  If the run imitates JAX, the access is moved first, see tg_clamp_slice. */
void tg_box_of(const tg_machine *m, const tg_access_plan *a, tg_box *box);

/* Makes the last dimensions of a box one as long as their rows follow each other, both in memory and
 * in a value with these strides.  `stride` has as many dimensions as the box, before and after.  What is
 * legal of the box is no longer known. */
void tg_box_join_rows(tg_box *box, int64_t *stride);

/* Returns whether the access is not a box: it has index arrays that are not evenly spaced (see
 * interp/memory/spaced.h), or its ref has no strides, or JAX moves evenly spaced positions inside one by one, after which they are no slice.  Otherwise sets
 * `box`. */
bool tg_access_is_scattered(const tg_machine *m, const tg_access_plan *a, tg_box *box);

/* Returns the start to which JAX moves a slice that spans `span` of `extent` indices.  For a masked
 * access JAX pads the array by one span, so that the slice may reach that far over the end. */
int64_t tg_clamp_slice(int64_t start, int64_t span, int64_t extent, bool is_masked);

/* Reports that the access reaches `index` in dimension `dim` of its ref. */
void tg_report_access(tg_machine *m, const tg_inst *inst, const tg_access_plan *a, int dim,
                      int64_t index);

/* The operand as a view; a scalar has one dimension. */
tg_view tg_box_view(const tg_machine *m, const tg_operand *o);

#endif
