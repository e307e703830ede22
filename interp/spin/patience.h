/* How often somebody asks whether to stop: often where there is much to do in between, seldom where
 * there is little. */
#ifndef TG_INTERP_SPIN_PATIENCE_H
#define TG_INTERP_SPIN_PATIENCE_H

#include <stdint.h>

/* After how many more pieces of work to ask again, where the last question was `patience` pieces
 * ago, at *asked seconds of a clock that only this function reads; 0 and 0 at first. */
uint32_t tg_next_patience(uint32_t patience, double *asked);

#endif
