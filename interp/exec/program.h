/* The beginning and end of chains, and the beginning of their programs. */
#ifndef TG_INTERP_EXEC_PROGRAM_H
#define TG_INTERP_EXEC_PROGRAM_H

#include "interp/state/machine.h"

/* Gives the machine a thread of a chain, whose first program has the given program index.  If the
 * chain is the machine's own, it gets fresh, undefined scratch and has no copies; other machines of
 * the chain come after that one. */
void tg_machine_begin_chain(tg_machine *m, int64_t chain, int64_t thread, int64_t program_index);

/* Ends the chain, and with it scratch.  Copies that have not taken place do so.  With `reports`,
 * reports copies that nobody waited for, semaphores that are not 0 and barriers in the middle of a
 * phase.  The machine that owns the chain comes first. */
void tg_machine_end_chain(tg_machine *m, bool reports);

/* Prepares one program: computes its blocks, and reports those outside their array. */
void tg_machine_start(tg_machine *m, const int64_t *program, int64_t program_index);

#endif
