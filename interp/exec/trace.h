/* The interpreter's log of what ops leave (plan/trace.h), for launches with a trace. */
#ifndef TG_INTERP_EXEC_TRACE_H
#define TG_INTERP_EXEC_TRACE_H

#include "interp/state/machine.h"

/* Before each instruction. */
void tg_machine_trace_begin(tg_machine *m);

/* What an op of a group has just given, the elements `group_elements` and on. */
void tg_machine_trace_op(tg_machine *m, uint32_t op_number, const void *carriers, size_t count);

/* After the instruction, where `traced` is set. */
void tg_machine_trace_end(tg_machine *m);

#endif
