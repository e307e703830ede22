/* Writes the log of op results (plan/trace.h).  One CTA, which runs the whole grid, writes it.
 * These functions do nothing if no log is wanted. */
#ifndef TG_GPU_BACKEND_EMIT_TRACE_H
#define TG_GPU_BACKEND_EMIT_TRACE_H

#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"
#include "plan/plan.h"

/* Called in the prologue. */
void tg_ptx_trace_start(tg_ptx_emitter *em);

/* Called before and after instruction number `at` of the code. */
void tg_ptx_trace_begin(tg_ptx_emitter *em, const tg_code *code, uint32_t at);
void tg_ptx_trace_end(tg_ptx_emitter *em);

/* Logs the result of op number `lane` of a group, for the element with linear index `element`
 * (.b32). */
void tg_ptx_trace_op(tg_ptx_emitter *em, uint32_t lane, tg_ptx_reg element, tg_ptx_reg value);

#endif
