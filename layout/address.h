/* Layouts of memory as addresses: one axis, m, that counts elements from the start of the memory. */
#ifndef TG_LAYOUT_ADDRESS_H
#define TG_LAYOUT_ADDRESS_H

#include "layout/axe.h"

/* Rewrites a layout of memory, of elements of `bits`, so that it has axis m only.
 *
 *   m, byte     elements and bytes from the start, which add up
 *   line, bank  lines of shared memory, of 128 bytes, and banks in them, of 4
 *   TLane, TCol lanes of tensor memory, of 512 columns, and columns, of 4 bytes; byte counts those in
 *               a column, which elements share
 *   Lane, Col   lanes that are as long as the layout's columns, and elements in them
 *
 * TG_ERR_UNSUPPORTED for another axis, and for bytes of elements that have no whole ones;
 * TG_ERR_INVALID with the reason if an address is negative, does not fit, or is no whole element. */
tg_status tg_axe_address(const tg_axe *axe, int bits, tg_axe *out, tg_diags *diags);

/* Of a layout on axis m: 1 + the greatest address, and as many more as its swizzle takes to permute
 * whole groups of addresses. */
int64_t tg_axe_reach(const tg_axe *address);

#endif
