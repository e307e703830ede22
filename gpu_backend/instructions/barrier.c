/* Barriers are between threads of a kernel; kernels with threads are refused. */
#include "gpu_backend/emit/refuse.h"
#include "gpu_backend/instructions/insts.h"
#include "ir/op.h"

void tg_ptx_inst_barrier(tg_ptx_emitter *em, const tg_inst *inst)
{
    tg_ptx_refuse(em, TG_PTX_REFUSES_BARRIERS, "%s", tg_ops[inst->op].name);
}
