/* Groups of element-wise ops: one loop over the elements, through all ops of the group in registers. */
#include <string.h>

#include "gpu_backend/emit.h"

/* The dimensions of a group once those that act as one in every operand are merged. */
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

tg_ptx_reg tg_ptx_apply(tg_ptx_emitter *em, tg_opcode op, tg_dtype dtype, tg_dtype second,
                        int64_t imm, uint32_t count, const tg_ptx_reg *in)
{
    tg_ptx_reg out = {0};
    if (!tg_ptx_lane(&em->w, op, dtype, second, imm, count, in, &out) && em->status == TG_OK)
        em->status = tg_fail(em->diags, TG_ERR_INTERNAL, NULL, "kernel %s: no PTX for %s on %s",
                             em->plan->kernel->name, tg_ops[op].name, tg_dtypes[dtype].name);
    return out;
}

static void emit_lane(tg_ptx_emitter *em, lanes *l, const tg_lane *lane)
{
    tg_ptx_reg in[TG_MAX_LANE_INPUTS] = {0}, out = {0};
    for (uint32_t i = 0; i < lane->in_count; i++) in[i] = at_place(l, lane->in[i]);
    if (lane->op == TG_OP_convert)
        out = tg_ptx_convert(&em->w, lane->dtype, lane->second, in[0]);
    else if (!em->is_fast ||
             !tg_ptx_lane_fast(&em->w, lane->op, lane->dtype, lane->in_count, in, &out))
        out = tg_ptx_apply(em, lane->op, lane->dtype, lane->second, lane->imm, lane->in_count, in);
    if (lane->out.kind == TG_PLACE_REGISTER)
        l->registers[lane->out.index] = out;
    else
        l->outputs[lane->out.index] = out;
}

void tg_ptx_group(tg_ptx_emitter *em, const tg_group *g)
{
    const uint32_t operands = g->input_count + g->output_count;
    int64_t(*stride)[TG_MAX_RANK] = tg_arena_take(&em->arena, operands, sizeof *stride);
    tg_ptx_reg *regs = tg_arena_take(&em->arena, operands + g->register_count, sizeof *regs);
    if (!stride || !regs) {
        em->status = TG_ERR_NO_MEMORY;
        return;
    }
    lanes l = {g, regs, regs + operands, regs + g->input_count};
    const geometry geo = merged(em, g, operands, stride);
    tg_ptx_reg index[TG_MAX_RANK];
    if (g->count == 0) return;
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, g->count);
    tg_ptx_unravel(em, loop.element, geo.rank, geo.shape, index);
    for (uint32_t i = 0; i < g->input_count; i++)
        regs[i] = tg_ptx_load_strided(em, &g->inputs[i], geo.rank, geo.shape, stride[i], index);
    for (uint32_t i = 0; i < g->lane_count; i++) {
        tg_ptx_place(em, g->lanes[i].loc);
        emit_lane(em, &l, &g->lanes[i]);
        tg_ptx_trace_lane(em, i, loop.element, at_place(&l, g->lanes[i].out));
    }
    for (uint32_t i = 0; i < g->output_count; i++)
        tg_ptx_store_strided(em, &g->outputs[i], geo.rank, geo.shape, stride[g->input_count + i],
                             index, l.outputs[i]);
    tg_ptx_loop_end(em, &loop);
}
