/* What a memory op touches, found out at run time. */
#ifndef TG_INTERP_ACCESS_H
#define TG_INTERP_ACCESS_H

#include "interp/machine.h"

/* An access without index arrays: a strided box of memory.  Indices below are those of the result; a
 * scalar result is a box of one dimension of one element. */
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

/* The bytes of what of the box is inside. */
tg_extent tg_box_extent(const tg_box *box, size_t bytes);

/* Works out the box; in JAX's mode the access is moved first, as tg_clamp_slice says. */
void tg_box_of(const tg_machine *m, const tg_access_plan *a, tg_box *box);

/* Where JAX moves the start of a slice that spans `span` indices, of `extent`.  JAX lengthens what a masked
 * access reads or writes by one span, so that the slice may hang over the end by as much. */
int64_t tg_clamp_slice(int64_t start, int64_t span, int64_t extent, bool is_masked);

/* Whether lanes that the mask turns off hold what memory holds: JAX's mode, and no `other`. */
bool tg_mask_shows_memory(const tg_machine *m, const tg_access_plan *a);

/* Reports that the access reached `index` in dimension `dim` of its ref. */
void tg_report_access(tg_machine *m, const tg_inst *inst, const tg_access_plan *a, int dim,
                      int64_t index);

/* Whether the access is no box: it goes through index arrays, or by a ref without strides; or JAX moves even
 * positions inside one by one, and then they are no slice any more.  Else `box` is what it is. */
bool tg_access_is_scattered(const tg_machine *m, const tg_access_plan *a, tg_box *box);

/* scatter.c: accesses with index arrays, and atomics, one element at a time */
void tg_scattered_load(tg_machine *m, const tg_inst *inst);
void tg_scattered_store(tg_machine *m, const tg_inst *inst);

/* Walks over the rows (all dimensions but the last) of a box between two corners.  Start with
 * tg_rows_begin; false when there are no more. */
typedef struct tg_rows {
    int rank;
    int64_t low[TG_MAX_RANK], high[TG_MAX_RANK], index[TG_MAX_RANK];
} tg_rows;
bool tg_rows_begin(tg_rows *rows, int rank, const int64_t *low, const int64_t *high);
bool tg_rows_next(tg_rows *rows);

/* Offset of the row's first element (last index 0), given strides. */
int64_t tg_rows_offset(const tg_rows *rows, const int64_t *stride);

/* The operand of a scalar result as a view of one dimension. */
tg_view tg_box_view(const tg_machine *m, const tg_operand *o);

/* Masked-off lanes of the dense result `value` become `other` (NULL: undefined). */
void tg_apply_mask(const tg_machine *m, const tg_access_plan *a, const tg_operand *value,
                   const tg_operand *other);

#endif
