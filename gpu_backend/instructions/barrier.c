/* Barriers are between threads of the kernel, which no kernel has that is run as PTX. */
#include "gpu_backend/emit/refuse.h"
#include "gpu_backend/instructions/insts.h"
#include "ir/op.h"

void tg_ptx_inst_barrier(tg_ptx_emitter *em, const tg_inst *inst)
{
    tg_ptx_refuse(em, TG_PTX_REFUSES_BARRIERS, "%s", tg_ops[inst->op].name);
}
