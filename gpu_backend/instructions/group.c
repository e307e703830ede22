/* Groups of element-wise ops: one loop over the elements, which runs all ops of the group in
 * registers. */
#include "gpu_backend/instructions/insts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "gpu_backend/elementwise/convert.h"
#include "gpu_backend/elementwise/fast.h"
#include "gpu_backend/elementwise/forms.h"
#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/emit/apply.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/operand.h"
#include "gpu_backend/emit/place.h"
#include "gpu_backend/emit/slot.h"
#include "gpu_backend/emit/trace.h"
#include "gpu_backend/text/writer.h"
#include "ir/op.h"
#include "ir/type.h"

/* The dimensions of a group after merging those that act as one in every operand. */
typedef struct geometry {
    int rank;
    int64_t shape[TG_MAX_RANK];
    int64_t (*stride)[TG_MAX_RANK]; /* per operand, inputs first */
} geometry;

static const tg_operand *operand_of(const tg_group *g, uint32_t i)
{
    return i < g->input_count ? &g->inputs[i] : &g->outputs[i - g->input_count];
}

static bool merges(const tg_ptx_emitter *em, const geometry *geo, const tg_group *g,
                   uint32_t operands, int d)
{
    for (uint32_t i = 0; i < operands; i++)
        if (geo->stride[i][geo->rank - 1] != tg_ptx_strides(em, operand_of(g, i))[d] * g->shape[d])
            return false;
    return true;
}

static geometry merged(const tg_ptx_emitter *em, const tg_group *g, uint32_t operands,
                       int64_t (*stride)[TG_MAX_RANK])
{
    geometry geo = {.stride = stride};
    for (int d = 0; d < g->rank; d++) {
        if (g->shape[d] == 1) continue;
        const bool joins = geo.rank > 0 && merges(em, &geo, g, operands, d);
        const int at = joins ? geo.rank - 1 : geo.rank++;
        geo.shape[at] = joins ? geo.shape[at] * g->shape[d] : g->shape[d];
        for (uint32_t i = 0; i < operands; i++)
            stride[i][at] = tg_ptx_strides(em, operand_of(g, i))[d];
    }
    return geo;
}

typedef struct lanes {
    const tg_group *group;
    const tg_ptx_reg *inputs;
    tg_ptx_reg *registers, *outputs;
} lanes;

static tg_ptx_reg at_place(const lanes *l, tg_place place)
{
    if (place.kind == TG_PLACE_REGISTER) return l->registers[place.index];
    return place.kind == TG_PLACE_INPUT ? l->inputs[place.index] : l->outputs[place.index];
}

static void emit_lane(tg_ptx_emitter *em, lanes *l, const tg_group_op *lane)
{
    tg_ptx_reg in[TG_MAX_OP_INPUTS] = {0}, out = {0};
    const tg_ptx_lane_op op = {&em->w,    lane->op,       lane->dtype, lane->second,
                               lane->imm, lane->in_count, in};
    for (uint32_t i = 0; i < lane->in_count; i++) in[i] = at_place(l, lane->in[i]);
    if (lane->op == TG_OP_convert)
        out = tg_ptx_convert(&em->w, lane->dtype, lane->second, in[0]);
    else if (!em->is_fast || !tg_ptx_lane_fast(&op, &out))
        out = tg_ptx_apply(em, &op);
    if (lane->out.kind == TG_PLACE_REGISTER)
        l->registers[lane->out.index] = out;
    else
        l->outputs[lane->out.index] = out;
}

/* ---- several elements at once ---- */

enum { MOST_WIDTH = 4, MOST_WIDE_LANES = 16, VECTOR_BYTES = 16 };

/* Whether an op takes only a few rows, so that its rows may be repeated. */
static bool is_short(const tg_group_op *lane)
{
    return !tg_ptx_form(lane->op, TG_PTX_FORM_F32) && !tg_ptx_form(lane->op, TG_PTX_FORM_F64) &&
           lane->op != TG_OP_rem;
}

/* Whether the elements along the last dimension are all the same. */
static bool is_same(const tg_ptx_emitter *em, const geometry *geo, const tg_operand *o,
                    const int64_t *stride)
{
    return tg_ptx_is_one(em, o) || stride[geo->rank - 1] == 0;
}

/* Whether the elements of the last dimension are contiguous, and each vector of `width` of them is
 * aligned, for all indices of the other dimensions. */
static bool lies_in_vectors(const tg_ptx_emitter *em, const geometry *geo, const tg_operand *o,
                            const int64_t *stride, int width)
{
    const int64_t bytes = tg_carrier_bytes[tg_carrier_of(o->dtype)], all = width * bytes;
    const int last = geo->rank - 1;
    if (tg_ptx_is_one(em, o) || stride[last] != 1 || tg_ptx_operand_multiple(em, o) % all != 0)
        return false;
    for (int d = 0; d < last; d++)
        if (stride[d] * bytes % all != 0) return false;
    return true;
}

/* The number of neighbouring elements that a thread computes at once, in vectors of up to 16 bytes;
 * 1 if vectors are not possible. */
static int choose_width(const tg_ptx_emitter *em, const tg_group *g, const geometry *geo)
{
    const uint32_t operands = g->input_count + g->output_count;
    int width = MOST_WIDTH;
    if (geo->rank == 0 || em->trace.sites || g->op_count > MOST_WIDE_LANES) return 1;
    for (uint32_t i = 0; i < g->op_count; i++)
        if (!is_short(&g->ops[i])) return 1;
    for (uint32_t i = 0; i < operands; i++)
        while (width > 1 &&
               width * tg_carrier_bytes[tg_carrier_of(operand_of(g, i)->dtype)] > VECTOR_BYTES)
            width /= 2;
    if (geo->shape[geo->rank - 1] % width != 0 || g->count / width < em->threads) return 1;
    for (uint32_t i = 0; i < operands; i++) {
        const tg_operand *o = operand_of(g, i);
        if (i < g->input_count && is_same(em, geo, o, geo->stride[i])) continue;
        if (!lies_in_vectors(em, geo, o, geo->stride[i], width)) return 1;
    }
    return width;
}

/* ---- groups ---- */

/* Registers for `width` neighbouring elements; each row holds the inputs, outputs and registers of
 * the group for one element. */
typedef struct rows {
    int width;
    size_t length;
    tg_ptx_reg *regs;
} rows;

static tg_ptx_reg *row_of(const rows *r, int i) { return r->regs + (size_t)i * r->length; }

static void load_inputs(tg_ptx_emitter *em, const tg_group *g, const geometry *geo, const rows *r,
                        const tg_ptx_reg *index)
{
    for (uint32_t i = 0; i < g->input_count; i++) {
        const tg_operand *o = &g->inputs[i];
        const tg_ptx_strided s = {geo->rank, geo->shape, geo->stride[i]};
        tg_ptx_reg values[MOST_WIDTH];
        const bool has_one = r->width == 1 || is_same(em, geo, o, geo->stride[i]);
        if (has_one)
            values[0] = tg_ptx_load_strided(em, o, &s, index);
        else
            tg_ptx_load_vector(em, o, &s, index, r->width, values);
        for (int v = 0; v < r->width; v++) row_of(r, v)[i] = values[has_one ? 0 : v];
    }
}

static void store_outputs(tg_ptx_emitter *em, const tg_group *g, const geometry *geo, const rows *r,
                          const tg_ptx_reg *index)
{
    for (uint32_t i = g->input_count; i < g->input_count + g->output_count; i++) {
        const tg_operand *o = operand_of(g, i);
        const tg_ptx_strided s = {geo->rank, geo->shape, geo->stride[i]};
        tg_ptx_reg values[MOST_WIDTH];
        for (int v = 0; v < r->width; v++) values[v] = row_of(r, v)[i];
        if (r->width == 1)
            tg_ptx_store_strided(em, o, &s, index, values[0]);
        else
            tg_ptx_store_vector(em, o, &s, index, r->width, values);
    }
}

/* Makes the last dimension count vectors instead of elements. */
static void count_vectors(geometry *geo, uint32_t operands, int width)
{
    const int last = geo->rank - 1;
    if (width == 1) return;
    geo->shape[last] /= width;
    for (uint32_t i = 0; i < operands; i++) geo->stride[i][last] *= width;
}

void tg_ptx_inst_group(tg_ptx_emitter *em, const tg_inst *inst)
{
    const tg_group *g = inst->as.group;
    const uint32_t operands = g->input_count + g->output_count;
    int64_t(*stride)[TG_MAX_RANK] = tg_arena_take(&em->arena, operands, sizeof *stride);
    rows r = {.width = 1, .length = operands + g->register_count};
    if (!stride) {
        em->status = TG_ERR_NO_MEMORY;
        return;
    }
    geometry geo = merged(em, g, operands, stride);
    tg_ptx_reg index[TG_MAX_RANK];
    if (g->count == 0) return;
    r.width = choose_width(em, g, &geo);
    r.regs = tg_arena_take(&em->arena, (uint32_t)((size_t)r.width * r.length), sizeof *r.regs);
    if (!r.regs) {
        em->status = TG_ERR_NO_MEMORY;
        return;
    }
    count_vectors(&geo, operands, r.width);
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, g->count / r.width);
    tg_ptx_unravel(em, loop.element, geo.rank, geo.shape, index);
    load_inputs(em, g, &geo, &r, index);
    for (uint32_t i = 0; i < g->op_count; i++) {
        tg_ptx_place(em, g->ops[i].loc);
        for (int v = 0; v < r.width; v++) {
            tg_ptx_reg *const row = row_of(&r, v);
            lanes l = {g, row, row + operands, row + g->input_count};
            emit_lane(em, &l, &g->ops[i]);
            tg_ptx_trace_op(em, i, loop.element, at_place(&l, g->ops[i].out));
        }
    }
    store_outputs(em, g, &geo, &r, index);
    tg_ptx_loop_end(em, &loop);
}
