/* Where chains begin and end, and where each of their programs begins. */
#ifndef TG_INTERP_EXEC_PROGRAM_H
#define TG_INTERP_EXEC_PROGRAM_H

#include "interp/state/machine.h"

/* Fresh scratch, undefined, and no copies: at the start of each walk over the arbitrary axes. */
void tg_machine_reset_scratch(tg_machine *m);

/* The end of scratch, once the last program over the arbitrary axes is done: copies still on their
 * way take place, and what nobody waited for is reported. */
void tg_machine_finish_scratch(tg_machine *m);

/* Gets ready to run one program: finds its blocks, reports those outside their array. */
void tg_machine_start(tg_machine *m, const int64_t *program, int64_t order, int64_t chain);

#endif
