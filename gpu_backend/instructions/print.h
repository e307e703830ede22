/* debug_print: a record in global memory, which the host makes text of after the run
 * (printed.h). */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_PRINT_H
#define TG_GPU_BACKEND_INSTRUCTIONS_PRINT_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

void tg_ptx_print(tg_ptx_emitter *em, const struct tg_inst_print *print);

#endif
