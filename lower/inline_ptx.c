#include "lower/inline_ptx.h"

#include "lower/base.h"
#include "lower/groups.h"
#include "lower/nodes.h"

void tg_lower_op_inline_ptx(tg_lowerer *l, const tg_op *op)
{
    struct tg_inst_inline_ptx *inst = tg_lower_take(l, 1, sizeof *inst);
    tg_inline_ptx *ptx = tg_lower_take(l, 1, sizeof *ptx);
    char problem[TG_INLINE_PTX_PROBLEM];
    if (!inst || !ptx) return;
    if (tg_inline_ptx_read(l->kernel, op, ptx, problem) != TG_OK) {
        tg_lower_fail(l, TG_ERR_INVALID, op, "%s", problem);
        return;
    }
    inst->ptx = ptx;
    inst->in_count = op->in_count;
    inst->out_count = op->out_count;
    inst->in = tg_lower_take(l, op->in_count, sizeof *inst->in);
    inst->out = tg_lower_take(l, op->out_count, sizeof *inst->out);
    if (l->failed) return;
    for (uint32_t i = 0; i < op->in_count; i++) inst->in[i] = tg_lower_operand(l, op->in[i]);
    for (uint32_t i = 0; i < op->out_count; i++) inst->out[i] = tg_lower_result(l, op->out[i]);
    tg_lower_emit(l, TG_I_INLINE_PTX, op->code, op->loc)->as.inline_ptx = inst;
}
