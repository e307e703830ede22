/* The strides of a reference that views elements in another shape or dtype. */
#ifndef TG_PLAN_RECAST_H
#define TG_PLAN_RECAST_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/op.h"
#include "plan/inst.h"

typedef enum tg_recast_way {
    TG_RECAST_PERMUTED, /* dimension d is dimension permutation[d] of the source reference */
    TG_RECAST_SAME,     /* same strides and bounds: elements of another dtype, of the same width */
    TG_RECAST_STRIDED,  /* new strides; the block is wholly inside the array */
    /* No strides can describe it.  Its strides number the elements row-major, and each access maps
     * these numbers back to elements of the source reference. */
    TG_RECAST_NUMBERED
} tg_recast_way;

/* The most elements of a view_layout whose numbers are listed. */
enum { TG_MOST_LISTED_NUMBERS = 1 << 20 };

/* Sets the layout of a view_layout, which is one of addresses.  `runs` has room for as many numbers as
 * the result has elements, or is NULL. */
void tg_recast_lay_out(struct tg_inst_recast *recast, const tg_axe *layout, int32_t *runs);

/* Whether the layout, of addresses, has each element at a place of its own: each stride, from the least
 * on, is longer than all before it reach.  That is not so of all layouts that have. */
bool tg_recast_is_apart(const tg_axe *layout);

/* Returns the number of the source's element that is element `number` of the result; both row-major.  Of
 * a recast to elements of the same width. */
int64_t tg_recast_number(const struct tg_inst_recast *recast, int64_t number);

/* Returns how to compute the result of `op`, a view_transpose, view_reshape, view_bitcast or view_layout,
 * and writes the strides of the result to `stride`, which has room for TG_MAX_RANK, and to `shift` how
 * far its first element is from the source's first.
 *   from      the strides of the source reference, TG_MAX_RANK of them
 *   is_whole  whether the source reference is wholly inside its array; new strides need that */
tg_recast_way tg_recast_strides(tg_opcode op, const struct tg_inst_recast *recast,
                                const int64_t *from, bool is_whole, int64_t *stride,
                                int64_t *shift);

#endif
