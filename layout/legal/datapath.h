/* Accumulators in tensor memory: where the rows and columns of each datapath are. */
#ifndef TG_LAYOUT_LEGAL_DATAPATH_H
#define TG_LAYOUT_LEGAL_DATAPATH_H

#include "layout/axe.h"

/* The layout of an accumulator of `columns` columns of 32 bits, (rows, columns), on TLane and TCol; `half`
 * is 1 for the upper 16 of each 32 lanes, where a datapath has two.
 * TG_ERR_INVALID if there is no such datapath or half, if its parts do not divide the columns, or if these
 * are more than the 512 that there are. */
tg_status tg_datapath_to_axe(char letter, int64_t columns, int half, tg_axe *out, tg_diags *diags);

#endif
