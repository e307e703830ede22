/* Matrix products: which form one has; and the plain one, a thread for each element of the result, which is one chain of fused
 * multiply-adds, k ascending. */
#include <inttypes.h>

#include "gpu_backend/instructions/dot_impl.h"

/* ---- which form ---- */

/* The first use of tiles that is for the product; NULL where none is. */
static const tg_ptx_tile_use *use_of(const tg_ptx_emitter *em, const struct tg_inst_dot *dot)
{
    static const tg_ptx_tile_use *const uses[] = {&tg_ptx_use_of_mma, &tg_ptx_use_of_squares};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (tg_ptx_tiled_bytes(em, dot, uses[i])) return uses[i];
    return NULL;
}

void tg_ptx_place_tiles(tg_ptx_emitter *em)
{
    em->tiles_offset = em->space == TG_PTX_SHARED ? em->workspace_bytes : 0;
    for (uint32_t i = 0; i < em->plan->body.count; i++) {
        const tg_inst *inst = &em->plan->body.list[i];
        const tg_ptx_tile_use *use = inst->kind == TG_I_DOT ? use_of(em, inst->as.dot) : NULL;
        const size_t own = use ? tg_ptx_tiled_bytes(em, inst->as.dot, use) : 0;
        if (own > em->tiles_bytes) em->tiles_bytes = own;
    }
}

/* ---- what all forms share ---- */

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
    const int64_t *const from = dot->lhs_stride[tg_ptx_layout_of(em, &dot->lhs)];
    tg_ptx_dot_side side = side_of(em, &dot->lhs, dot->m);
    for (int d = 0; d < 3; d++) side.stride[d] = from[d];
    return side;
}

tg_ptx_dot_side tg_ptx_dot_rhs(const tg_ptx_emitter *em, const struct tg_inst_dot *dot)
{
    const int64_t *const from = dot->rhs_stride[tg_ptx_layout_of(em, &dot->rhs)];
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
        tg_ptx_store_strided(em, &dot->out, 3, shape, dense, index, sum);
        return;
    }
    const tg_ptx_reg in[2] = {sum, tg_ptx_load(em, &dot->addend, index + 1)};
    tg_ptx_store(em, &dot->out, index + 1,
                 tg_ptx_apply(em, TG_OP_add, dot->acc, dot->acc, 0, 2, in));
}

/* ---- a thread for each element ---- */

/* Where a side's next factor is, and how to get on. */
typedef struct walk {
    const tg_ptx_dot_side *side;
    tg_ptx_reg value, at; /* `value` of a side that is one number */
    int64_t step;
} walk;

/* An address that the loop may move: never a register that others use as well. */
static tg_ptx_reg own(tg_ptx_emitter *em, tg_ptx_reg address)
{
    const tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_move(&em->w, r, address);
    return r;
}

/* `index` is the stack's and the row's, `shape` their extents. */
static walk begin_walk(tg_ptx_emitter *em, const tg_ptx_dot_side *side, const int64_t *shape,
                       const tg_ptx_reg *index)
{
    const tg_operand *o = side->o;
    const int64_t bytes = tg_carrier_bytes[tg_carrier_of(o->dtype)];
    walk w = {.side = side, .step = side->stride[2] * bytes};
    if (side->is_one)
        w.value = tg_ptx_load_strided(em, o, 0, NULL, NULL, NULL);
    else
        w.at = own(em, tg_ptx_address_of(em, tg_ptx_slot_address(em, o->slot), 2, shape,
                                         side->stride, index, bytes));
    return w;
}

static tg_ptx_reg next_factor(tg_ptx_emitter *em, const walk *w)
{
    if (w->side->is_one) return w->value;
    const tg_ptx_reg value =
        tg_ptx_load_carrier(em, w->side->space, w->side->o->dtype, w->at, w->side->displacement);
    if (w->step)
        tg_ptx_row(&em->w, "add.s64 %s, %s, %" PRId64 ";", w->at.name, w->at.name, w->step);
    return value;
}

void tg_ptx_dot(tg_ptx_emitter *em, const struct tg_inst_dot *dot)
{
    const tg_ptx_dot_side lhs = tg_ptx_dot_lhs(em, dot), rhs = tg_ptx_dot_rhs(em, dot);
    const int64_t shape[3] = {dot->b, dot->m, dot->n};
    const uint64_t zero = 0;
    tg_ptx_reg index[3];
    if (dot->b * dot->m * dot->n == 0) return;
    const tg_ptx_tile_use *const use = use_of(em, dot);
    if (use) {
        tg_ptx_dot_tiled(em, dot, use);
        return;
    }
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, dot->b * dot->m * dot->n);
    tg_ptx_unravel(em, loop.element, 3, shape, index);
    const tg_ptx_reg sum = tg_ptx_constant(&em->w, dot->acc, &zero);
    if (dot->k > 0) {
        const walk left = begin_walk(em, &lhs, shape, index);
        const walk right = begin_walk(em, &rhs, (const int64_t[2]){dot->b, dot->n},
                                      (const tg_ptx_reg[2]){index[0], index[2]});
        const tg_ptx_loop along = tg_ptx_serial_begin(em, dot->k);
        const tg_ptx_reg a = next_factor(em, &left), b = next_factor(em, &right);
        tg_ptx_multiply_add(em, dot->acc, sum, a, b);
        tg_ptx_serial_end(em, &along);
    }
    tg_ptx_dot_finish(em, dot, index, sum);
    tg_ptx_loop_end(em, &loop);
}
