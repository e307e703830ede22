/* References at run time. */
#ifndef TG_INTERP_STATE_REF_H
#define TG_INTERP_STATE_REF_H

#include "plan/inst.h"

/* A strided view of memory, of which possibly only a part is inside the array. */
typedef struct tg_ref {
    unsigned char *data; /* of the whole buffer */
    int64_t origin;      /* element offset of index [0,...]; may lie outside the buffer */
    int64_t shape[TG_MAX_RANK], stride[TG_MAX_RANK];
    int64_t low[TG_MAX_RANK], high[TG_MAX_RANK]; /* indices low <= i < high are inside the array */
    bool is_inside;                              /* all indices are inside */
    bool is_nothing; /* no index is inside: needed for scalars, which have no indices */
    /* NULL: offsets count elements of `data`.  Else offsets are the row-major numbers of elements
     * of another ref, in the shape that this instruction sees: strides cannot describe their
     * positions (recast.c). */
    const struct tg_inst_recast *recast;
} tg_ref;

/* Makes dimension `at` of the ref the `size` indices from `start` on of an array's dimension, whose
 * size is `extent`. */
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
