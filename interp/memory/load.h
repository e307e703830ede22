/* Loads of boxes. */
#ifndef TG_INTERP_MEMORY_LOAD_H
#define TG_INTERP_MEMORY_LOAD_H

#include "interp/memory/box.h"

/* The part of the box inside the array goes to the dense block `to`, as carriers; the rest of that
 * is undefined. */
void tg_load_box(tg_machine *m, tg_dtype dtype, const tg_box *box, unsigned char *to);

#endif
