#include "interp/exec/dot.h"

#include "interp/state/handlers.h"
#include "interp/state/operand.h"
#include "interp/exec/panels.h"

tg_dot_shape tg_dot_shape_of(const struct tg_inst_dot *dot, int lhs, int rhs)
{
    return (tg_dot_shape){.b = dot->b,
                          .m = dot->m,
                          .n = dot->n,
                          .k = dot->k,
                          .lhs_b = dot->lhs_stride[lhs][0],
                          .lhs_m = dot->lhs_stride[lhs][1],
                          .lhs_k = dot->lhs_stride[lhs][2],
                          .rhs_b = dot->rhs_stride[rhs][0],
                          .rhs_k = dot->rhs_stride[rhs][1],
                          .rhs_n = dot->rhs_stride[rhs][2]};
}

void tg_exec_dot(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_dot *dot = inst->as.dot;
    tg_dot_shape shape = tg_dot_shape_of(dot, m->storage[dot->lhs.slot], m->storage[dot->rhs.slot]);
    const void *lhs = tg_operand_at(m, &dot->lhs), *rhs = tg_operand_at(m, &dot->rhs);
    void *out = tg_operand_at(m, &dot->out);
    tg_panels_use(m, dot, lhs, rhs, &shape);
    if (!dot->has_addend) {
        tg_dot(m->launch->elementwise, dot->acc, &shape, lhs, rhs, out, m->extra);
        return;
    }
    const tg_dot_sum sum = {.addend = tg_operand_at(m, &dot->addend),
                            .addend_row = dot->addend.stride[m->storage[dot->addend.slot]][0],
                            .out_row = dot->out.stride[m->storage[dot->out.slot]][0]};
    tg_dot_add(m->launch->elementwise, dot->acc, &shape, lhs, rhs, &sum, out, m->extra);
}
