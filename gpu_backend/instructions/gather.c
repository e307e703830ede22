/* XLA's gather and scatter: slices whose starts depend on values. */
#include "gpu_backend/instructions/insts.h"

#include <inttypes.h>
#include <stdbool.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/emit/apply.h"
#include "gpu_backend/emit/barrier.h"
#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/memory.h"
#include "gpu_backend/emit/operand.h"
#include "gpu_backend/emit/slot.h"
#include "gpu_backend/emit/uniform.h"
#include "gpu_backend/text/writer.h"
#include "ir/gather.h"
#include "ir/ir.h"
#include "ir/op.h"
#include "ir/type.h"

/* The dimensions of the list (result or updates), split into two kinds. */
typedef struct slices {
    tg_gather_shape g;
    const tg_operand *operand, *indices;
    /* number of dimensions of the list that select a slice, and of those within a slice */
    int batch_rank, rank;
    int64_t batch_shape[TG_MAX_RANK], shape[TG_MAX_RANK];
    int64_t batch_stride[TG_MAX_RANK], stride[TG_MAX_RANK]; /* in the list */
    int64_t in_operand[TG_MAX_RANK]; /* strides of the slice in the operand */
    int64_t batch_count, slice_count;
} slices;

static slices slices_of(const tg_op *op, const tg_operand *operand, const tg_operand *indices,
                        const tg_operand *list)
{
    slices s = {.g = tg_gather_shape_of(op, operand->rank, list->shape),
                .operand = operand,
                .indices = indices,
                .batch_count = 1,
                .slice_count = 1};
    int from = 0;
    for (int d = 0; d < list->rank; d++) {
        const int64_t stride = list->stride[TG_STORAGE_DENSE][d];
        if (!(s.g.offset_dims >> d & 1)) {
            s.batch_shape[s.batch_rank] = list->shape[d];
            s.batch_stride[s.batch_rank++] = stride;
            s.batch_count *= list->shape[d];
            continue;
        }
        while (tg_gather_leaves_out(&s.g, from)) from++;
        s.shape[s.rank] = list->shape[d];
        s.stride[s.rank] = stride;
        s.in_operand[s.rank++] = operand->stride[TG_STORAGE_DENSE][from++];
        s.slice_count *= list->shape[d];
    }
    return s;
}

/* Component i of a slice's start, .b64. */
static tg_ptx_reg start_at(tg_ptx_emitter *em, const slices *s, const tg_ptx_reg *batch, int i)
{
    tg_operand one = *s->indices;
    one.offset[TG_STORAGE_DENSE] += i * one.stride[TG_STORAGE_DENSE][s->batch_rank];
    const tg_ptx_strided all = {s->batch_rank, one.shape, one.stride[TG_STORAGE_DENSE]};
    const tg_ptx_reg narrow = tg_ptx_load_strided(em, &one, &all, batch),
                     r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "cvt.s64.s32 %s, %s;", r.name, narrow.name);
    return r;
}

/* Returns base + the byte offset of the slice's first element.  If `clamps`, clamps the start;
 * otherwise sets *is_there to whether the slice lies wholly inside. */
static tg_ptx_reg find_slice(tg_ptx_emitter *em, const slices *s, const tg_ptx_reg *batch,
                             tg_ptx_reg base, bool clamps, tg_ptx_reg *is_there)
{
    tg_ptx_writer *w = &em->w;
    const int64_t bytes = tg_carrier_bytes[tg_carrier_of(s->operand->dtype)];
    const int64_t *stride = s->operand->stride[TG_STORAGE_DENSE];
    for (int i = 0; i < s->g.index_size; i++) {
        const int d = s->g.start_index_map[i];
        const int64_t last = s->operand->shape[d] - s->g.slice_sizes[d];
        const tg_ptx_reg start = start_at(em, s, batch, i), next = tg_ptx_new(w, TG_PTX_B64);
        tg_ptx_row(w, "min.s64 %s, %s, %" PRId64 ";", next.name, start.name, last);
        tg_ptx_row(w, "max.s64 %s, %s, 0;", next.name, next.name);
        if (!clamps) {
            const tg_ptx_reg p = tg_ptx_new(w, TG_PTX_PRED);
            if (is_there->name[0])
                tg_ptx_row(w, "setp.eq.and.s64 %s, %s, %s, %s;", p.name, start.name, next.name,
                           is_there->name);
            else
                tg_ptx_row(w, "setp.eq.s64 %s, %s, %s;", p.name, start.name, next.name);
            *is_there = p;
        }
        const tg_ptx_reg moved = tg_ptx_new(w, TG_PTX_B64);
        tg_ptx_row(w, "mad.lo.s64 %s, %s, %" PRId64 ", %s;", moved.name, next.name,
                   stride[d] * bytes, base.name);
        base = moved;
    }
    for (int i = 0; i < s->g.batch_count; i++) {
        const int b = s->g.indices_batch[i];
        const tg_ptx_strided along = {1, &s->batch_shape[b], &stride[s->g.operand_batch[i]]};
        base = tg_ptx_address_of(em, base, &along, &batch[b], bytes);
    }
    return base;
}

/* The address of the slice's element at `inner`; `first` is that of its first element. */
static tg_ptx_reg element_in(tg_ptx_emitter *em, const slices *s, tg_ptx_reg first,
                             const tg_ptx_reg *inner)
{
    const tg_ptx_strided slice = {s->rank, s->shape, s->in_operand};
    return tg_ptx_address_of(em, first, &slice, inner,
                             tg_carrier_bytes[tg_carrier_of(s->operand->dtype)]);
}

/* ---- gather ---- */

static tg_ptx_reg fill_of(tg_ptx_emitter *em, const struct tg_inst_gather *gather)
{
    return gather->has_fill_value ? tg_ptx_constant(&em->w, gather->in.dtype, &gather->fill)
                                  : tg_ptx_undefined(&em->w, gather->in.dtype);
}

static tg_ptx_reg gathered(tg_ptx_emitter *em, const struct tg_inst_gather *gather, const slices *s,
                           tg_ptx_reg base, const tg_ptx_reg *batch, const tg_ptx_reg *inner)
{
    const tg_dtype dtype = gather->in.dtype;
    const int64_t bytes = tg_carrier_bytes[tg_carrier_of(dtype)];
    const tg_ptx_space space = tg_ptx_slot_space(em, gather->in.slot);
    tg_ptx_reg is_there = {0}, value;
    tg_ptx_reg at = find_slice(em, s, batch, base, !gather->fills, &is_there);
    at = element_in(em, s, at, inner);
    if (tg_ptx_is_one(em, &gather->in))
        value = tg_ptx_load_any(em, &gather->in);
    else
        value =
            tg_ptx_load_carrier(em, space, dtype, at, gather->in.offset[TG_STORAGE_DENSE] * bytes);
    if (!is_there.name[0]) return value;
    return tg_ptx_selp(&em->w, is_there, value, fill_of(em, gather));
}

void tg_ptx_inst_gather(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_gather *gather = inst->as.gather;
    const slices s = slices_of(gather->op, &gather->in, &gather->indices, &gather->out);
    tg_ptx_reg batch[TG_MAX_RANK], inner[TG_MAX_RANK], index[TG_MAX_RANK];
    if (s.batch_count * s.slice_count == 0) return;
    const tg_ptx_reg base = tg_ptx_is_one(em, &gather->in)
                                ? tg_ptx_uniform_reg(em, tg_ptx_known(0))
                                : tg_ptx_slot_address(em, gather->in.slot);
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, s.batch_count * s.slice_count);
    tg_ptx_unravel(em, loop.element, gather->out.rank, gather->out.shape, index);
    for (int d = 0, b = 0, i = 0; d < gather->out.rank; d++)
        *(s.g.offset_dims >> d & 1 ? &inner[i++] : &batch[b++]) = index[d];
    tg_ptx_store(em, &gather->out, index, gathered(em, gather, &s, base, batch, inner));
    tg_ptx_loop_end(em, &loop);
}

/* ---- scatter ---- */

/* Whether an update can fit at all: a dimension that updates leave out may have extent 0. */
static bool fits(const slices *s)
{
    for (int i = 0; i < s->g.index_size; i++) {
        const int d = s->g.start_index_map[i];
        if (s->operand->shape[d] < s->g.slice_sizes[d]) return false;
    }
    return true;
}

/* One slice after the other; the elements of a slice in parallel. */
void tg_ptx_inst_scatter(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_scatter *scatter = inst->as.scatter;
    const slices s = slices_of(scatter->op, &scatter->out, &scatter->indices, &scatter->updates);
    const tg_dtype dtype = scatter->out.dtype;
    const int64_t bytes = tg_carrier_bytes[tg_carrier_of(dtype)],
                  displacement = scatter->out.offset[TG_STORAGE_DENSE] * bytes;
    tg_ptx_writer *w = &em->w;
    tg_ptx_reg batch[TG_MAX_RANK], inner[TG_MAX_RANK];
    if (s.batch_count * s.slice_count == 0 || !fits(&s)) return;
    const tg_ptx_reg base = tg_ptx_slot_address(em, scatter->out.slot);
    const tg_ptx_loop slice = tg_ptx_serial_begin(em, s.batch_count);
    tg_ptx_unravel(em, slice.element, s.batch_rank, s.batch_shape, batch);
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, s.slice_count);
    const uint32_t skip = tg_ptx_new_label(w);
    tg_ptx_unravel(em, loop.element, s.rank, s.shape, inner);
    tg_ptx_reg is_there = {0}, all[TG_MAX_RANK];
    tg_ptx_reg at = find_slice(em, &s, batch, base, scatter->clamps, &is_there);
    if (is_there.name[0]) tg_ptx_row(w, "@!%s bra $L%u;", is_there.name, skip);
    at = element_in(em, &s, at, inner);
    for (int d = 0, b = 0, i = 0; d < scatter->updates.rank; d++)
        all[d] = s.g.offset_dims >> d & 1 ? inner[i++] : batch[b++];
    tg_ptx_reg value = tg_ptx_load(em, &scatter->updates, all);
    if (scatter->combine != TG_OP_COUNT) {
        const tg_ptx_reg old = tg_ptx_load_carrier(em, em->space, dtype, at, displacement);
        value = tg_ptx_apply_two(em, scatter->combine, dtype, old, value);
    }
    tg_ptx_store_carrier(em, em->space, dtype, at, displacement, value);
    if (is_there.name[0]) tg_ptx_label(w, skip);
    tg_ptx_loop_end(em, &loop);
    tg_ptx_barrier_row(em);
    tg_ptx_serial_end(em, &slice);
}
