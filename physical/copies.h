/* Copies by the tensor memory accelerator: whether there is a box of an array, with a swizzle, that lies in
 * shared memory as a layout says, and whether it is legal. */
#ifndef TG_PHYSICAL_COPIES_H
#define TG_PHYSICAL_COPIES_H

#include "physical/demand.h"

/* Checks the copy of the block of a param whose space is smem and that has a layout. */
void tg_copy_check_param(tg_demands *d, uint32_t param);

/* Checks a dma_start with the instruction tma. */
void tg_copy_check(tg_demands *d, const tg_op *op);

#endif
