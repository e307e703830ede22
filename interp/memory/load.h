/* Loads of boxes. */
#ifndef TG_INTERP_MEMORY_LOAD_H
#define TG_INTERP_MEMORY_LOAD_H

#include "interp/memory/box.h"

/* Loads the part of the box inside the array into the dense block `to`, as carriers; the rest of
 * the block is undefined. */
void tg_load_box(tg_machine *m, tg_dtype dtype, const tg_box *box, unsigned char *to);

#endif
