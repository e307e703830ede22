/* Blocks of params that are copied to shared memory by the tensor memory accelerator. */
#ifndef TG_PHYSICAL_COPIES_H
#define TG_PHYSICAL_COPIES_H

#include "physical/demand.h"

/* Checks the copy of the block of a param whose space is smem and that has a layout: whether there is a box
 * of the array, with a swizzle, that lays the block out so, and whether it is legal. */
void tg_copy_check(tg_demands *d, uint32_t param);

#endif
