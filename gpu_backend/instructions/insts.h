/* Emits instructions: a function for each row of plan/insts.def. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_INSTS_H
#define TG_GPU_BACKEND_INSTRUCTIONS_INSTS_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* When it is called, the accesses of the instruction have been declared (kernel/hazard.h), and a
 * barrier has been emitted if one is needed. */
#define TG_INST(ID, id, body, visible, traits, names)                                              \
    void tg_ptx_inst_##id(tg_ptx_emitter *em, const tg_inst *inst);
#include "plan/insts.def"

#endif
