#include "checks/undefined/moves.h"

#include <string.h>

#include "checks/undefined/slots.h"
#include "checks/undefined/step_trail.h"
#include "interp/blocks/copy.h"
#include "interp/state/operand.h"
#include "interp/blocks/slices.h"
#include "interp/state/index_walk.h"

/* ---- gather, scatter ---- */

/* Returns the word of the first undefined component of the current slice's start. */
static uint32_t start_word(const tg_slices *s, const tg_view *words)
{
    int64_t offset = 0;
    for (int d = 0; d < s->batch_rank; d++) offset += s->at[d] * words->stride[d];
    for (int i = 0; i < s->g->index_size; i++) {
        const uint32_t word =
            ((const uint32_t *)words->data)[offset + i * words->stride[s->batch_rank]];
        if (word) return word;
    }
    return 0;
}

/* Walks over a slice, in the list and in the operand. */
static tg_index_walk slice_walk(const tg_slices *s)
{
    tg_index_walk walk;
    tg_index_begin(&walk, s->rank, s->shape);
    return walk;
}

static uint32_t gathered_word(const tg_slices *s, const tg_index_walk *walk, const tg_view *in,
                              int64_t offset)
{
    return ((const uint32_t *)in->data)[offset + tg_index_offset(walk, s->in_operand)];
}

void tg_shadow_gather(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_gather *gather = inst->as.gather;
    const tg_dtype dtype = gather->result.dtype;
    const tg_view in = tg_shadow_view(tg_shadow_of(m), &gather->in);
    const tg_view indices = tg_operand_view(m, &gather->indices);
    const tg_view starts = tg_shadow_view(tg_shadow_of(m), &gather->indices);
    const tg_gather_shape g = tg_gather_shape_of(gather->op, in.rank, gather->result.shape);
    tg_view list = {.rank = gather->result.rank};
    memcpy(list.shape, gather->result.shape, sizeof list.shape);
    tg_dense_strides(list.rank, list.shape, list.stride);
    uint32_t *out = tg_shadow_open(tg_shadow_of(m), &gather->out);
    tg_step_trail step = tg_step_of(m, inst, 0);
    tg_slices s = tg_slices_of(&g, &in, &indices, &list);
    if (!out || s.slice_count == 0 || s.batch_count == 0) return;
    const bool fills_undefined = gather->fills && !gather->has_fill_value &&
                                 tg_shadow_of(m)->all->kind == TG_SHADOW_UNDEFINED;
    do {
        int64_t offset;
        const uint32_t start = start_word(&s, &starts);
        const bool is_inside = tg_slices_find(&s, !gather->fills, &offset);
        uint32_t outside = 0;
        if (fills_undefined) outside = tg_word(TG_VALUE_TRAIL, tg_all_bytes(dtype));
        if (start) outside = tg_step_word(&step, start, tg_all_bytes(dtype));
        tg_index_walk walk = slice_walk(&s);
        do
            out[s.list_offset + tg_index_offset(&walk, s.in_list)] =
                start || !is_inside ? outside : gathered_word(&s, &walk, &in, offset);
        while (tg_index_next(&walk));
    } while (tg_slices_next(&s));
    tg_shadow_close(tg_shadow_of(m), &gather->out);
}

/* Returns the word of an element that is combined with an update, or replaced by it. */
static uint32_t combined_word(const struct tg_inst_scatter *scatter, tg_step_trail *step,
                              uint32_t old, uint32_t update)
{
    if (scatter->combine == TG_OP_COUNT) return update;
    const uint32_t word = old ? old : update;
    return word ? tg_step_word(step, word, tg_all_bytes(scatter->out.dtype)) : 0;
}

void tg_shadow_scatter(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_scatter *scatter = inst->as.scatter;
    const tg_view indices = tg_operand_view(m, &scatter->indices);
    const tg_view starts = tg_shadow_view(tg_shadow_of(m), &scatter->indices);
    const tg_view updates = tg_shadow_view(tg_shadow_of(m), &scatter->updates);
    tg_step_trail step = tg_step_of(m, inst, 0);
    const uint32_t bad = tg_shadow_first(&starts);
    if (bad) { /* the update may go to any element */
        tg_shadow_fill(tg_shadow_of(m), &scatter->out,
                       tg_step_word(&step, bad, tg_all_bytes(scatter->out.dtype)));
        return;
    }
    uint32_t *out = tg_shadow_reopen(tg_shadow_of(m), &scatter->out);
    if (!out) return;
    const tg_view target = tg_shadow_view(tg_shadow_of(m), &scatter->out);
    const tg_gather_shape g = tg_gather_shape_of(scatter->op, target.rank, updates.shape);
    tg_slices s = tg_slices_of(&g, &target, &indices, &updates);
    if (s.slice_count == 0 || s.batch_count == 0) return;
    do {
        int64_t offset;
        if (!tg_slices_find(&s, scatter->clamps, &offset)) continue;
        tg_index_walk walk = slice_walk(&s);
        do {
            uint32_t *word = &out[offset + tg_index_offset(&walk, s.in_operand)];
            const int64_t from = s.list_offset + tg_index_offset(&walk, s.in_list);
            *word = combined_word(scatter, &step, *word, ((const uint32_t *)updates.data)[from]);
        } while (tg_index_next(&walk));
    } while (tg_slices_next(&s));
    tg_shadow_close(tg_shadow_of(m), &scatter->out);
}

/* ---- dynamic slices ---- */

static uint32_t bad_start(const tg_machine *m, const struct tg_inst_dynamic *dynamic)
{
    for (int d = 0; d < dynamic->whole.rank; d++) {
        const uint32_t word = tg_shadow_scalar(tg_shadow_of(m), &dynamic->starts[d]);
        if (word) return word;
    }
    return 0;
}

/* Returns a view of the words of the part within the whole. */
static tg_view part_within(const tg_machine *m, const struct tg_inst_dynamic *dynamic,
                           tg_view whole)
{
    int64_t offset = 0;
    for (int d = 0; d < whole.rank; d++) {
        const int64_t start = tg_operand_int(m, &dynamic->starts[d]);
        const int64_t most = whole.shape[d] - dynamic->part.shape[d];
        offset += (start < 0 ? 0 : start > most ? most : start) * whole.stride[d];
        whole.shape[d] = dynamic->part.shape[d];
    }
    whole.data = (const uint32_t *)whole.data + offset;
    return whole;
}

void tg_shadow_dynamic(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_dynamic *dynamic = inst->as.dynamic;
    const tg_operand *result = dynamic->is_update ? &dynamic->whole : &dynamic->part;
    const uint32_t bad = bad_start(m, dynamic);
    tg_step_trail step = tg_step_of(m, inst, 0);
    if (bad) {
        tg_shadow_fill(tg_shadow_of(m), result,
                       tg_step_word(&step, bad, tg_all_bytes(result->dtype)));
        return;
    }
    uint32_t *out = dynamic->is_update ? tg_shadow_reopen(tg_shadow_of(m), result)
                                       : tg_shadow_open(tg_shadow_of(m), result);
    if (!out) return;
    const tg_view whole = part_within(m, dynamic, tg_shadow_view(tg_shadow_of(m), &dynamic->whole));
    const tg_view part = tg_shadow_view(tg_shadow_of(m), &dynamic->part);
    if (dynamic->is_update)
        tg_copy_view((void *)(uintptr_t)whole.data, whole.stride, &part, sizeof *out);
    else
        tg_copy_view(out, part.stride, &whole, sizeof *out);
    tg_shadow_close(tg_shadow_of(m), result);
}

/* ---- bitcasts ---- */

/* Returns the word of element `i` of the result: bit by bit, in steps of the narrower dtype or of a
 * byte. */
static uint32_t bitcast_word(const uint32_t *in, int bits_in, int bits_out, int64_t i)
{
    const int narrower = bits_in < bits_out ? bits_in : bits_out,
              bits = narrower < 8 ? narrower : 8;
    uint32_t first = 0;
    unsigned bytes = 0;
    for (int at = 0; at < bits_out; at += bits) {
        const int64_t place = i * bits_out + at;
        const uint32_t word = in[place / bits_in];
        if (!(tg_word_bytes(word) >> (place % bits_in / 8) & 1)) continue;
        bytes |= 1U << (at / 8);
        if (!first) first = word;
    }
    return tg_word(tg_word_trail(first), bytes);
}

void tg_shadow_bitcast(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_bitcast *cast = inst->as.bitcast;
    const tg_operand *o = &cast->out;
    uint32_t *out = tg_shadow_open(tg_shadow_of(m), o);
    int64_t count = 1;
    for (int d = 0; d < o->rank; d++) count *= o->shape[d];
    if (!out) return;
    const tg_view in = tg_shadow_view(tg_shadow_of(m), &cast->in);
    for (int64_t i = 0; i < count; i++)
        out[i] = bitcast_word(in.data, tg_dtypes[cast->in.dtype].bits, tg_dtypes[o->dtype].bits, i);
    tg_shadow_close(tg_shadow_of(m), o);
}
