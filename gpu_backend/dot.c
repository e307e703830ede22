/* Matrix products: a thread for each element of the result, one chain of fused multiply-adds, k ascending. */
#include <inttypes.h>

#include "gpu_backend/emit.h"

/* sum = left * right + sum */
static void multiply_add(tg_ptx_emitter *em, tg_dtype acc, tg_ptx_reg sum, tg_ptx_reg left,
                         tg_ptx_reg right)
{
    static const char *const ops[TG_PTX_CLASS_COUNT] = {[TG_PTX_B32] = "mad.lo.s32",
                                                        [TG_PTX_B64] = "mad.lo.s64",
                                                        [TG_PTX_F32] = "fma.rn.f32",
                                                        [TG_PTX_F64] = "fma.rn.f64"};
    tg_ptx_row(&em->w, "%s %s, %s, %s, %s;", ops[tg_ptx_class_of(acc)], sum.name, left.name,
               right.name, sum.name);
}

/* Address of an operand's element where the innermost loop begins. */
static tg_ptx_reg begin_at(tg_ptx_emitter *em, const tg_operand *o, const int64_t *shape,
                           const int64_t *stride, const tg_ptx_reg *index)
{
    return tg_ptx_address_of(em, tg_ptx_slot_address(em, o->slot), 3, shape, stride, index,
                             tg_carrier_bytes[tg_carrier_of(o->dtype)]);
}

static void go_on(tg_ptx_emitter *em, tg_ptx_reg at, int64_t bytes)
{
    if (bytes) tg_ptx_row(&em->w, "add.s64 %s, %s, %" PRId64 ";", at.name, at.name, bytes);
}

/* An address that the loop may move: never a register that others use as well. */
static tg_ptx_reg own(tg_ptx_emitter *em, tg_ptx_reg address)
{
    const tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "mov.b64 %s, %s;", r.name, address.name);
    return r;
}

/* One side of the product: where its next factor is, and how to get on. */
typedef struct side {
    const tg_operand *o;
    bool is_one; /* the same number throughout */
    tg_ptx_reg value, at;
    int64_t displacement, step;
    tg_ptx_space space;
} side;

static side make_side(tg_ptx_emitter *em, const tg_operand *o, const int64_t *shape,
                      const int64_t *stride, int64_t k_stride, const tg_ptx_reg *index)
{
    const tg_slot *slot = &em->plan->slots[o->slot];
    const int64_t bytes = tg_carrier_bytes[tg_carrier_of(o->dtype)];
    side s = {.o = o,
              .displacement = o->offset[TG_LAYOUT_DENSE] * bytes,
              .step = k_stride * bytes,
              .space = slot->kind == TG_SLOT_CONSTANT ? TG_PTX_GLOBAL : em->space};
    s.is_one =
        slot->kind == TG_SLOT_UNDEFINED || (slot->kind == TG_SLOT_CONSTANT && slot->count == 1);
    if (s.is_one)
        s.value = tg_ptx_load_strided(em, o, 0, NULL, NULL, NULL);
    else
        s.at = own(em, begin_at(em, o, shape, stride, index));
    return s;
}

static tg_ptx_reg next_factor(tg_ptx_emitter *em, const side *s)
{
    if (s->is_one) return s->value;
    const tg_ptx_reg value = tg_ptx_load_carrier(em, s->space, s->o->dtype, s->at, s->displacement);
    go_on(em, s->at, s->step);
    return value;
}

/* Adds the matrix that is to be added, if any, and stores. */
static void finish(tg_ptx_emitter *em, const struct tg_inst_dot *dot, const int64_t *shape,
                   const tg_ptx_reg *index, tg_ptx_reg sum)
{
    const int64_t dense[3] = {dot->m * dot->n, dot->n, 1};
    if (!dot->has_addend) {
        tg_ptx_store_strided(em, &dot->out, 3, shape, dense, index, sum);
        return;
    }
    const tg_ptx_reg in[2] = {sum, tg_ptx_load(em, &dot->addend, index + 1)};
    tg_ptx_store(em, &dot->out, index + 1,
                 tg_ptx_apply(em, TG_OP_add, dot->acc, dot->acc, 0, 2, in));
}

void tg_ptx_dot(tg_ptx_emitter *em, const struct tg_inst_dot *dot)
{
    const int64_t *const l = dot->lhs_stride[TG_LAYOUT_DENSE], *const r =
                                                                   dot->rhs_stride[TG_LAYOUT_DENSE];
    const int64_t shape[3] = {dot->b, dot->m, dot->n};
    const int64_t lhs_stride[3] = {l[0], l[1], 0}, rhs_stride[3] = {r[0], 0, r[2]};
    const uint64_t zero = 0;
    tg_ptx_reg index[3];
    if (dot->b * dot->m * dot->n == 0) return;
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, dot->b * dot->m * dot->n);
    tg_ptx_unravel(em, loop.element, 3, shape, index);
    const tg_ptx_reg sum = tg_ptx_constant(&em->w, dot->acc, &zero);
    if (dot->k > 0) {
        const side lhs = make_side(em, &dot->lhs, shape, lhs_stride, l[2], index);
        const side rhs = make_side(em, &dot->rhs, shape, rhs_stride, r[1], index);
        const tg_ptx_loop along = tg_ptx_serial_begin(em, dot->k);
        const tg_ptx_reg left = next_factor(em, &lhs), right = next_factor(em, &rhs);
        multiply_add(em, dot->acc, sum, left, right);
        tg_ptx_serial_end(em, &along);
    }
    finish(em, dot, shape, index, sum);
    tg_ptx_loop_end(em, &loop);
}
