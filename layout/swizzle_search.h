/* A swizzle of memory that takes away conflicts of banks. */
#ifndef TG_LAYOUT_SWIZZLE_SEARCH_H
#define TG_LAYOUT_SWIZZLE_SEARCH_H

#include "layout/placement.h"

typedef struct tg_swizzle_found {
    tg_swizzle bytes;      /* of addresses in bytes, on axis byte; 0 bits if none is needed */
    tg_swizzle elements;   /* the same of elements, on axis m */
    int64_t before, after; /* wavefronts of all accesses, without and with it */
    int64_t least;         /* without conflicts */
} tg_swizzle_found;

/* Tries all swizzles that change banks, of accesses of `widths[i]` bytes (0: the widest) of placements[i],
 * which have elements of one size in one memory without a swizzle, such as a store and a load.  Takes the
 * one with the fewest wavefronts; of these, the one of the fewest bits, then of the least base and shift.
 * Vectors stay in one piece, and no address comes to lie beyond the last one.
 *
 * TG_ERR_UNSUPPORTED with the numbers if there are conflicts that no swizzle makes fewer;
 * TG_ERR_INVALID if elements are of different sizes, or for a width that does not fit. */
tg_status tg_swizzle_search(const tg_placement *const *placements, const int *widths, int count,
                            tg_swizzle_found *out, tg_diags *diags);

/* The same in a memory of `bytes`: addresses may come to lie anywhere in it. */
tg_status tg_swizzle_search_within(const tg_placement *const *placements, const int *widths,
                                   int count, int64_t bytes, tg_swizzle_found *out,
                                   tg_diags *diags);

#endif
