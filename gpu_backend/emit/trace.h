/* The log of what ops leave (plan/trace.h), written by one CTA that goes through the whole grid.
 * All of it does nothing where no log is wanted. */
#ifndef TG_GPU_BACKEND_EMIT_TRACE_H
#define TG_GPU_BACKEND_EMIT_TRACE_H

#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"
#include "plan/plan.h"

/* In the prologue. */
void tg_ptx_trace_start(tg_ptx_emitter *em);

/* Before instruction number `at` of the code, and after it. */
void tg_ptx_trace_begin(tg_ptx_emitter *em, const tg_code *code, uint32_t at);
void tg_ptx_trace_end(tg_ptx_emitter *em);

/* For element number `element` (.b32), what op number `lane` of a group has given. */
void tg_ptx_trace_op(tg_ptx_emitter *em, uint32_t lane, tg_ptx_reg element, tg_ptx_reg value);

#endif
