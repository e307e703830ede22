/* What each device of a mesh holds of an array: which element is at each place of its memory.
 *
 * Digits that choose the device and digits that choose the place in its memory are independent.  So
 * an element's index is the sum of a number of the device and a number of the place. */
#ifndef TG_LAYOUT_MESH_SHARES_H
#define TG_LAYOUT_MESH_SHARES_H

#include "layout/mesh/spread.h"

typedef struct tg_shares {
    int device_count;
    int64_t place_count; /* of the memory of a device */
    int64_t *base;       /* by position */
    int64_t *offset;     /* by place: element base[position] + offset[place] is there */
    int *root;           /* by position: terms of one reduction have the same, that of the first */
} tg_shares;

/* How many elements a device holds, if the layout gives each the same number. */
int64_t tg_spread_held(const tg_spread *spread);

/* The shares of `devices` positions, whose memories have `places` places each.  Each place of each
 * device has one element, or there are no shares: TG_ERR_INVALID for a layout of another number of
 * elements than `shape`, a place with two elements, a place or a device without any, a device or a
 * place that there is not; TG_ERR_UNSUPPORTED for axes other than gpuid and m, copies within the
 * memory of a device, terms that are not apart, more than TG_AXE_MOST_POINTS copies;
 * TG_ERR_NO_MEMORY.  The spread is a valid one.  The caller frees `out`, which is empty after an
 * error. */
tg_status tg_shares_of(const tg_spread *spread, const tg_shape *shape, int devices, int64_t places,
                       tg_shares *out, tg_diags *diags);

void tg_shares_free(tg_shares *shares);

#endif
