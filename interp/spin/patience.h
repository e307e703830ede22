/* How often to ask whether to stop: often if much happens in between, seldom if little does. */
#ifndef TG_INTERP_SPIN_PATIENCE_H
#define TG_INTERP_SPIN_PATIENCE_H

#include <stdint.h>

/* Returns after how many more pieces of work to ask again.  The last time was `patience` pieces
 * ago, at *asked, in seconds of a clock that only this function reads; both are 0 at first. */
uint32_t tg_next_patience(uint32_t patience, double *asked);

#endif
