#include "gpu_backend/instructions/dot.h"
#include "gpu_backend/instructions/insts.h"

#include <inttypes.h>
#include <stddef.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/memory.h"
#include "gpu_backend/emit/operand.h"
#include "gpu_backend/emit/refuse.h"
#include "gpu_backend/emit/slot.h"
#include "gpu_backend/instructions/dot_bring.h"
#include "gpu_backend/instructions/dot_mma.h"
#include "gpu_backend/instructions/dot_parts.h"
#include "gpu_backend/instructions/dot_squares.h"
#include "gpu_backend/instructions/dot_tile.h"
#include "gpu_backend/instructions/wgmma.h"
#include "gpu_backend/text/writer.h"
#include "ir/op.h"
#include "ir/type.h"

/* ---- choosing the variant ---- */

/* The first tiled variant that fits the product; NULL if none does. */
static const tg_ptx_tile_use *use_of(const tg_ptx_emitter *em, const struct tg_inst_dot *dot)
{
    static const tg_ptx_tile_use *const uses[] = {&tg_ptx_use_of_mma, &tg_ptx_use_of_squares};
    if (em->teams > 1) return NULL; /* tiles are the CTA's */
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
        size_t own = use ? tg_ptx_tiled_bytes(em, inst->as.dot, use) : 0;
        if (inst->kind == TG_I_PRODUCT) own = tg_ptx_wgmma_bytes(em, inst->as.async);
        if (own > em->tiles_bytes) em->tiles_bytes = own;
    }
}

/* Whether its bits are those of a tensor core, which no chain has. */
static bool is_on_tensor_core(const tg_ptx_emitter *em, const struct tg_inst_dot *dot)
{
    return dot->k > 0 &&
           tg_tensor_core_for(em->tensor_core, dot->acc, dot->lhs.dtype, dot->rhs.dtype,
                              dot->may_be_tf32) != TG_TENSOR_CORE_EXACT;
}

/* ---- a thread for each element ---- */

/* The position of a side's next factor, and the step to the one after. */
typedef struct walk {
    const tg_ptx_dot_side *side;
    tg_ptx_reg value, at; /* `value`: of a side whose elements are all equal */
    int64_t step;
} walk;

/* A copy of an address, which the loop may change; the original may be in use elsewhere. */
static tg_ptx_reg own(tg_ptx_emitter *em, tg_ptx_reg address)
{
    const tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_move(&em->w, r, address);
    return r;
}

/* `index` holds stack and row, `shape` their extents. */
static walk begin_walk(tg_ptx_emitter *em, const tg_ptx_dot_side *side, const int64_t *shape,
                       const tg_ptx_reg *index)
{
    const tg_operand *o = side->o;
    const int64_t bytes = tg_carrier_bytes[tg_carrier_of(o->dtype)];
    const tg_ptx_strided s = {2, shape, side->stride};
    walk w = {.side = side, .step = side->stride[2] * bytes};
    if (side->is_one)
        w.value = tg_ptx_load_any(em, o);
    else
        w.at = own(em, tg_ptx_address_of(em, tg_ptx_slot_address(em, o->slot), &s, index, bytes));
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

void tg_ptx_inst_dot(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_dot *dot = inst->as.dot;
    const tg_ptx_dot_side lhs = tg_ptx_dot_lhs(em, dot), rhs = tg_ptx_dot_rhs(em, dot);
    const int64_t shape[3] = {dot->b, dot->m, dot->n};
    const uint64_t zero = 0;
    tg_ptx_reg index[3];
    if (dot->b * dot->m * dot->n == 0) return;
    const tg_ptx_tile_use *const use = use_of(em, dot);
    if (use != &tg_ptx_use_of_mma && is_on_tensor_core(em, dot))
        tg_ptx_refuse(em, TG_PTX_REFUSES_TENSOR_CORE, "%s", tg_ops[inst->op].name);
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
