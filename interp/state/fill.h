/* Values for undefined elements, as the settings of the launch ask for. */
#ifndef TG_INTERP_STATE_FILL_H
#define TG_INTERP_STATE_FILL_H

#include "interp/state/launch.h"

/* Fill `count` elements: as carriers, and in memory representation. */
void tg_launch_fill(const tg_launch *launch, void *to, tg_dtype dtype, size_t count);
void tg_launch_fill_memory(const tg_launch *launch, void *to, tg_dtype dtype, size_t count);

#endif
