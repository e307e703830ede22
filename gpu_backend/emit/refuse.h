/* Refusing a kernel. */
#ifndef TG_GPU_BACKEND_EMIT_REFUSE_H
#define TG_GPU_BACKEND_EMIT_REFUSE_H

#include "base/diag.h"
#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/emit/refusal.h"

/* Records that the kernel cannot be emitted because of the current instruction.  `format`, as for
 * printf, says what the kernel has there.  Only the first failure of a kernel is kept. */
TG_PRINTF(3, 4)
void tg_ptx_refuse(tg_ptx_emitter *em, tg_ptx_refusal refusal, const char *format, ...);

#endif
