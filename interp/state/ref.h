/* References at run time. */
#ifndef TG_INTERP_STATE_REF_H
#define TG_INTERP_STATE_REF_H

#include "plan/inst.h"

/* A strided view of memory, of which only part may be inside the array. */
typedef struct tg_ref {
    unsigned char *data; /* of the whole buffer */
    int64_t origin;      /* element offset of index [0,...]; may lie outside the buffer */
    int64_t shape[TG_MAX_RANK], stride[TG_MAX_RANK];
    int64_t low[TG_MAX_RANK], high[TG_MAX_RANK]; /* indices low <= i < high are inside the array */
    bool is_inside;                              /* all of it */
    bool is_nothing; /* none of it: says so for a scalar, which has no indices */
    /* NULL: offsets are elements of `data`.  Else they number the elements of another ref as this
     * instruction sees them, row-major: no strides say where they are (recast.c). */
    const struct tg_inst_recast *recast;
} tg_ref;

/* Dimension `at` becomes `size` indices of an array's dimension, which has `extent`, from `start`
 * on. */
static inline void tg_ref_set_dim(tg_ref *ref, int at, int64_t start, int64_t size, int64_t extent,
                                  int64_t stride)
{
    int64_t low = start < 0 ? -start : 0, high = extent - start;
    ref->shape[at] = size;
    ref->stride[at] = stride;
    ref->low[at] = low < size ? low : size;
    ref->high[at] = high > size ? size : high < ref->low[at] ? ref->low[at] : high;
    if (ref->low[at] > 0 || ref->high[at] < size) ref->is_inside = false;
}

#endif
