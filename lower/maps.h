/* Lowers index maps: to an affine formula if possible, else to code. */
#ifndef TG_LOWER_MAPS_H
#define TG_LOWER_MAPS_H

#include "lower/impl.h"

/* Sets how programs find the blocks of a param with the index map `map`, which may be NULL. */
void tg_lower_map(tg_lowerer *l, const tg_region *map, tg_mapping *mapping);

#endif
