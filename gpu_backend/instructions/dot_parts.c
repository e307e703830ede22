#include "gpu_backend/instructions/dot_parts.h"

#include "gpu_backend/emit/apply.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/operand.h"
#include "gpu_backend/emit/slot.h"
#include "ir/op.h"

static tg_ptx_dot_side side_of(const tg_ptx_emitter *em, const tg_operand *o, int64_t rows)
{
    return (tg_ptx_dot_side){.o = o,
                             .rows = rows,
                             .space = tg_ptx_slot_space(em, o->slot),
                             .displacement = tg_ptx_displacement(em, o),
                             .is_one = tg_ptx_is_one(em, o)};
}

tg_ptx_dot_side tg_ptx_dot_lhs(const tg_ptx_emitter *em, const struct tg_inst_dot *dot)
{
    const int64_t *const from = dot->lhs_stride[tg_ptx_storage_of(em, &dot->lhs)];
    tg_ptx_dot_side side = side_of(em, &dot->lhs, dot->m);
    for (int d = 0; d < 3; d++) side.stride[d] = from[d];
    return side;
}

tg_ptx_dot_side tg_ptx_dot_rhs(const tg_ptx_emitter *em, const struct tg_inst_dot *dot)
{
    const int64_t *const from = dot->rhs_stride[tg_ptx_storage_of(em, &dot->rhs)];
    tg_ptx_dot_side side = side_of(em, &dot->rhs, dot->n);
    side.stride[0] = from[0];
    side.stride[1] = from[2];
    side.stride[2] = from[1];
    return side;
}

void tg_ptx_multiply_add(tg_ptx_emitter *em, tg_dtype acc, tg_ptx_reg sum, tg_ptx_reg left,
                         tg_ptx_reg right)
{
    static const char *const ops[TG_PTX_CLASS_COUNT] = {[TG_PTX_B32] = "mad.lo.s32",
                                                        [TG_PTX_B64] = "mad.lo.s64",
                                                        [TG_PTX_F32] = "fma.rn.f32",
                                                        [TG_PTX_F64] = "fma.rn.f64"};
    tg_ptx_row(&em->w, "%s %s, %s, %s, %s;", ops[tg_ptx_class_of(acc)], sum.name, left.name,
               right.name, sum.name);
}

void tg_ptx_dot_finish(tg_ptx_emitter *em, const struct tg_inst_dot *dot, const tg_ptx_reg *index,
                       tg_ptx_reg sum)
{
    const int64_t shape[3] = {dot->b, dot->m, dot->n}, dense[3] = {dot->m * dot->n, dot->n, 1};
    if (!dot->has_addend) {
        tg_ptx_store_strided(em, &dot->out, &(tg_ptx_strided){3, shape, dense}, index, sum);
        return;
    }
    const tg_ptx_reg addend = tg_ptx_load(em, &dot->addend, index + 1);
    tg_ptx_store(em, &dot->out, index + 1, tg_ptx_apply_two(em, TG_OP_add, dot->acc, sum, addend));
}
