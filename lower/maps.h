/* Index maps: a formula where one can say it, else code. */
#ifndef TG_LOWER_MAPS_H
#define TG_LOWER_MAPS_H

#include "lower/impl.h"

/* How the blocks of a param with index map `map`, or NULL, are found. */
void tg_lower_map(tg_lowerer *l, const tg_region *map, tg_mapping *mapping);

#endif
