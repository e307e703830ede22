/* Slices of an operand at the starts in an array of indices, walked in the row-major order of that
 * array: shared by gather and scatter.  The other side, which is the result of a gather or the
 * updates of a scatter, is called the list: its offset dimensions run over a slice, the others over
 * the indices without their last dimension. */
#ifndef TG_INTERP_BLOCKS_SLICES_H
#define TG_INTERP_BLOCKS_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/gather.h"
#include "ir/view.h"

typedef struct tg_slices {
    const tg_gather_shape *g;
    const tg_view *operand, *indices;
    int rank;                         /* of a slice, without dimensions that are left out */
    int64_t shape[TG_MAX_RANK];       /* of a slice */
    int64_t in_operand[TG_MAX_RANK];  /* strides of a slice in the operand */
    int64_t in_list[TG_MAX_RANK];     /* strides of a slice in the list */
    int batch_rank;                   /* = indices->rank - 1 */
    int64_t batch[TG_MAX_RANK];       /* strides of the indices' dimensions in the list */
    int64_t slice_count, batch_count; /* elements */
    /* the position of the walk */
    int64_t at[TG_MAX_RANK];
    const int32_t *index; /* the first component of the start */
    int64_t list_offset;  /* offset of the slice in the list, in elements */
} tg_slices;

/* `list` needs no data. */
tg_slices tg_slices_of(const tg_gather_shape *g, const tg_view *operand, const tg_view *indices,
                       const tg_view *list);

/* Finds the offset of the current slice in the operand, in elements.  If the slice reaches outside:
 * with `clamps`, moves the start to the nearest legal one; otherwise, or if there is no legal
 * start, returns false. */
bool tg_slices_find(const tg_slices *s, bool clamps, int64_t *offset);

/* Goes to the next start.  Returns false at the end. */
bool tg_slices_next(tg_slices *s);

#endif
