/* The interpreter's log of op results (plan/trace.h), for launches with a trace. */
#ifndef TG_INTERP_EXEC_TRACE_H
#define TG_INTERP_EXEC_TRACE_H

#include "interp/state/machine.h"

/* Called before each instruction. */
void tg_machine_trace_begin(tg_machine *m);

/* Logs results of an op of a group, for its elements from m->group_elements on. */
void tg_machine_trace_op(tg_machine *m, uint32_t op_number, const void *carriers, size_t count);

/* Called after the instruction, if `traced` is set. */
void tg_machine_trace_end(tg_machine *m);

#endif
