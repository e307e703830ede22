/* Loads of boxes: in place if the block lies wholly inside its array; else the part inside is
 * copied. */
#include "interp/memory/load.h"

#include <string.h>

#include "interp/blocks/copy.h"
#include "interp/state/fill.h"
#include "interp/state/handlers.h"
#include "interp/memory/atomic_step.h"
#include "interp/memory/in_place.h"
#include "interp/memory/listed.h"
#include "interp/memory/mask.h"
#include "interp/state/operand.h"
#include "interp/memory/rows.h"
#include "interp/memory/scatter.h"
#include "interp/memory/notify_box.h"

enum { CHUNK = 512 }; /* elements converted at a time, in m->strips */

/* Converts elements, `stride` apart in memory, to a row of carriers. */
static void load_row(tg_machine *m, tg_dtype dtype, unsigned char *to, const unsigned char *from,
                     int64_t stride, int64_t count)
{
    tg_elementwise_fn *load = tg_elementwise_load(m->launch->elementwise, dtype);
    size_t bytes = tg_dtypes[dtype].bytes, wide = tg_carrier_bytes[tg_carrier_of(dtype)];
    const int64_t dense = 1;
    for (int64_t done = 0; done < count; done += CHUNK) {
        int64_t n = count - done < CHUNK ? count - done : CHUNK;
        const void *src = from + done * stride * (int64_t)bytes;
        if (stride != 1) {
            tg_view row = {.data = src, .rank = 1, .shape = {n}, .stride = {stride}};
            tg_copy_view(m->strips, &dense, &row, bytes);
            src = m->strips;
        }
        load(to + done * (int64_t)wide, &src, 0, (size_t)n, 0);
    }
}

/* Loads what is inside of a box, to a dense block with these strides. */
static void load_rows(tg_machine *m, tg_dtype dtype, const tg_box *box, const int64_t *dense,
                      unsigned char *to)
{
    const int64_t bytes = tg_dtypes[dtype].bytes, wide = tg_carrier_bytes[tg_carrier_of(dtype)];
    const int last = box->rank - 1;
    tg_rows rows;
    for (bool more = tg_rows_begin(&rows, box->rank, box->low, box->high); more;
         more = tg_rows_next(&rows)) {
        const int64_t in =
            box->origin + tg_rows_offset(&rows, box->stride) + box->low[last] * box->stride[last];
        const int64_t out = tg_rows_offset(&rows, dense) + box->low[last];
        load_row(m, dtype, to + out * wide, box->data + in * bytes, box->stride[last],
                 box->high[last] - box->low[last]);
    }
}

void tg_load_box(tg_machine *m, tg_dtype dtype, const tg_box *box, unsigned char *to)
{
    size_t bytes = tg_dtypes[dtype].bytes, wide = tg_carrier_bytes[tg_carrier_of(dtype)];
    int64_t dense[TG_MAX_RANK], count = 1, to_offset = 0, from_offset = box->origin;
    tg_view part = {.rank = box->rank};
    tg_dense_strides(box->rank, box->shape, dense);
    for (int d = 0; d < box->rank; d++) count *= box->shape[d];
    if (!box->is_inside) tg_launch_fill(m->launch, to, dtype, (size_t)count);
    for (int d = 0; d < box->rank; d++) {
        part.shape[d] = box->high[d] - box->low[d];
        part.stride[d] = box->stride[d];
        if (part.shape[d] <= 0) return;
        to_offset += box->low[d] * dense[d];
        from_offset += box->low[d] * box->stride[d];
    }
    if (tg_is_native(dtype)) {
        part.data = box->data + from_offset * (int64_t)bytes;
        tg_copy_view(to + to_offset * (int64_t)wide, dense, &part, bytes);
        return;
    }
    tg_box joined = *box;
    tg_box_join_rows(&joined, dense);
    load_rows(m, dtype, &joined, dense, to);
}

/* Chooses where the value of a load goes that the next instruction stores: there, if that is wholly
 * inside its array.  Returns whether it goes there. */
static bool pass_on(tg_machine *m, const tg_inst *inst)
{
    const tg_inst *next = inst + 1;
    const tg_access_plan *to = &next->as.access->access;
    const tg_slot_id slot = inst->as.access->value.slot;
    tg_box target;
    tg_use_workspace(m, slot);
    if (m->stops || m->refs[to->ref].recast) return false;
    tg_box_of(m, to, &target);
    if (!target.is_inside || !target.is_legal) return false;
    tg_accessed_box(m, next, TG_ACCESS_INTENT, &target, false);
    tg_use_memory(m, slot, &target, to->dtype);
    return true;
}

static void copy_box(const tg_machine *m, const tg_box *box, const tg_operand *value)
{
    const tg_view to = tg_box_view(m, value);
    const size_t bytes = tg_dtypes[value->dtype].bytes;
    tg_view from = {.data = box->data + box->origin * (int64_t)bytes, .rank = box->rank};
    memcpy(from.shape, box->shape, sizeof from.shape);
    memcpy(from.stride, box->stride, sizeof from.stride);
    tg_copy_view((void *)to.data, to.stride, &from, bytes);
}

static void load_block(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_access *load = inst->as.access;
    const tg_access_plan *a = &load->access;
    tg_listed listed;
    tg_box box;
    if (load->is_placed && !m->keeps_order) return;
    const bool is_list = load->moves_all[TG_STORAGE_DENSE];
    if (is_list && load->is_passed_on) pass_on(m, inst);
    if (load->moves_all[m->storage[load->value.slot]]) {
        tg_listed_move_all(m, load, false);
        return;
    }
    if (tg_access_is_listed(m, a, &listed)) {
        if (load->may_be_in_place) tg_use_workspace(m, load->value.slot);
        if (load->is_passed_on && !is_list) pass_on(m, inst);
        tg_listed_load(m, inst, &listed);
        return;
    }
    if (tg_access_is_scattered(m, a, &box)) {
        if (load->may_be_in_place || load->is_passed_on) tg_use_workspace(m, load->value.slot);
        tg_scattered_load(m, inst);
        return;
    }
    if (!box.is_legal) tg_report_box(m, inst, a, &box);
    bool is_masked = a->has_mask && !tg_mask_is_full(m, a);
    tg_accessed_box(m, inst, TG_ACCESS_READ, &box, is_masked);
    if (load->may_be_in_place) {
        if (box.is_inside && !is_masked && !(load->is_brief && m->stops)) {
            tg_use_memory(m, load->value.slot, &box, a->dtype);
            return;
        }
        tg_use_workspace(m, load->value.slot);
    }
    if (load->is_passed_on && !box.is_inside) tg_use_workspace(m, load->value.slot);
    if (load->is_passed_on && box.is_inside && pass_on(m, inst)) {
        copy_box(m, &box, &load->value);
        return;
    }
    tg_load_box(m, a->dtype, &box, tg_operand_at(m, &load->value));
    if (is_masked && !tg_mask_shows_memory(m, a))
        tg_apply_mask(m, a, &load->value, a->has_other ? &a->other : NULL);
}

void tg_exec_load(tg_machine *m, const tg_inst *inst)
{
    tg_atomic_step_begin(m, inst->as.access);
    load_block(m, inst);
    tg_atomic_step_end(m, inst->as.access);
}
