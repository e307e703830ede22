/* Where chains begin and end, and where each of their programs begins. */
#ifndef TG_INTERP_EXEC_PROGRAM_H
#define TG_INTERP_EXEC_PROGRAM_H

#include "interp/state/machine.h"

/* The machine takes a thread of a chain, whose first program is at `program_index` in the grid.  If the
 * chain is its own, that gets fresh scratch, undefined, and has no copies; other machines come
 * after that one. */
void tg_machine_begin_chain(tg_machine *m, int64_t chain, int64_t thread, int64_t program_index);

/* The chain has come to its end, and with it scratch: copies still on their way take place, and with
 * `reports` what nobody waited for is told.  The machine whose own it is comes first. */
void tg_machine_end_chain(tg_machine *m, bool reports);

/* Gets ready to run one program: finds its blocks, reports those outside their array. */
void tg_machine_start(tg_machine *m, const int64_t *program, int64_t program_index);

#endif
