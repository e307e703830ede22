#include "interp/exec/dot.h"

#include <string.h>

#include "interp/blocks/tensor_core.h"
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

static float *floats_at(const tg_machine *m, const tg_operand *o)
{
    void *const at = tg_operand_at(m, o);
    return at;
}

/* With an addend, element by element: `out` may be the addend itself. */
static void multiply_as(tg_machine *m, const struct tg_inst_dot *dot, const tg_dot_shape *shape,
                        tg_tensor_core core)
{
    const float *const lhs = floats_at(m, &dot->lhs), *const rhs = floats_at(m, &dot->rhs);
    float *const out = floats_at(m, &dot->out);
    if (!dot->has_addend) {
        memset(out, 0, (size_t)(shape->b * shape->m * shape->n) * sizeof *out);
        tg_tensor_core_add(core, dot->lhs.dtype, TG_DT_f32, shape, lhs, rhs, out);
        return;
    }
    const float *const addend = floats_at(m, &dot->addend);
    const int64_t from = dot->addend.stride[m->storage[dot->addend.slot]][0],
                  to = dot->out.stride[m->storage[dot->out.slot]][0];
    tg_dot_shape element = *shape;
    element.m = element.n = 1;
    for (int64_t row = 0; row < shape->m; row++)
        for (int64_t column = 0; column < shape->n; column++) {
            float product = 0;
            tg_tensor_core_add(core, dot->lhs.dtype, TG_DT_f32, &element, lhs + row * shape->lhs_m,
                               rhs + column * shape->rhs_n, &product);
            out[row * to + column] = product + addend[row * from + column];
        }
}

void tg_exec_dot(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_dot *dot = inst->as.dot;
    tg_dot_shape shape = tg_dot_shape_of(dot, m->storage[dot->lhs.slot], m->storage[dot->rhs.slot]);
    const tg_tensor_core core = tg_tensor_core_for(
        m->launch->setting.tensor_core, dot->acc, dot->lhs.dtype, dot->rhs.dtype, dot->may_be_tf32);
    if (core != TG_TENSOR_CORE_EXACT) {
        multiply_as(m, dot, &shape, core);
        return;
    }
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
