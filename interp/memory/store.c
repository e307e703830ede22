/* Stores of boxes: in place if the block lies wholly inside its array; else the part inside is
 * copied. */
#include <string.h>

#include "interp/blocks/copy.h"
#include "interp/state/handlers.h"
#include "interp/memory/atomic_step.h"
#include "interp/memory/forms.h"
#include "interp/memory/in_place.h"
#include "interp/memory/listed.h"
#include "interp/memory/load.h"
#include "interp/memory/mask.h"
#include "interp/state/operand.h"
#include "interp/memory/rows.h"
#include "interp/memory/scatter.h"
#include "interp/memory/notify_box.h"

/* Stores a run of elements in memory representation where the mask (NULL: everywhere) is set. */
static void put(unsigned char *to, int64_t to_stride, const unsigned char *from, int64_t count,
                const uint8_t *mask, int64_t mask_stride, size_t bytes)
{
    if (!mask && to_stride == 1) {
        memcpy(to, from, (size_t)count * bytes);
        return;
    }
    switch (bytes) {
#define X(n, type)                                                                                 \
    case n:                                                                                        \
        for (int64_t i = 0; i < count; i++)                                                        \
            if (!mask || mask[i * mask_stride])                                                    \
                ((type *)to)[i * to_stride] = ((const type *)from)[i];                             \
        return;
        X(1, uint8_t)
        X(2, uint16_t)
        X(4, uint32_t)
        X(8, uint64_t)
#undef X
    default: return;
    }
}

static void store_rows(tg_machine *m, const tg_access_plan *a, const tg_box *all,
                       const tg_operand *value, bool is_masked)
{
    size_t bytes = tg_dtypes[a->dtype].bytes, wide = tg_carrier_bytes[tg_carrier_of(a->dtype)];
    tg_view from = tg_box_view(m, value), mask = {0};
    tg_box joined = *all, *const box = &joined;
    if (is_masked)
        mask = tg_box_view(m, &a->mask);
    else
        tg_box_join_rows(box, from.stride);
    const int last = box->rank - 1;
    tg_rows rows;
    for (bool more = tg_rows_begin(&rows, box->rank, box->low, box->high); more;
         more = tg_rows_next(&rows)) {
        for (int64_t i = box->low[last]; i < box->high[last]; i += TG_FORM_CHUNK) {
            int64_t n = box->high[last] - i < TG_FORM_CHUNK ? box->high[last] - i : TG_FORM_CHUNK;
            int64_t at = box->origin + tg_rows_offset(&rows, box->stride) + i * box->stride[last];
            int64_t in = tg_rows_offset(&rows, from.stride) + i * from.stride[last];
            const uint8_t *set = mask.data ? (const uint8_t *)mask.data +
                                                 tg_rows_offset(&rows, mask.stride) +
                                                 i * mask.stride[last]
                                           : NULL;
            put(box->data + at * (int64_t)bytes, box->stride[last],
                tg_memory_form(m, a->dtype, (const unsigned char *)from.data + in * (int64_t)wide,
                               from.stride[last], n),
                n, set, set ? mask.stride[last] : 0, bytes);
        }
    }
}

/* A native dtype and no mask: one copy is enough. */
static void store_box(tg_machine *m, const tg_access_plan *a, const tg_box *box,
                      const tg_operand *value)
{
    int64_t bytes = tg_dtypes[a->dtype].bytes, to = box->origin, in = 0;
    tg_view from = tg_box_view(m, value);
    for (int d = 0; d < box->rank; d++) {
        if (box->low[d] >= box->high[d]) return;
        from.shape[d] = box->high[d] - box->low[d];
        in += box->low[d] * from.stride[d];
        to += box->low[d] * box->stride[d];
    }
    from.data = (const unsigned char *)from.data + in * bytes;
    tg_copy_view(box->data + to * bytes, box->stride, &from, (size_t)bytes);
}

/* Returns whether it pays to compute right in memory: if rows are short and do not follow each
 * other, a group's work per row costs more than a copy of the finished block. */
static bool has_long_rows(const tg_box *box)
{
    enum { LONG_ROW = 256 };
    int64_t run = 1;
    for (int d = box->rank - 1; d >= 0 && (box->stride[d] == run || box->shape[d] == 1); d--)
        run *= box->shape[d];
    int64_t count = 1;
    for (int d = 0; d < box->rank; d++) count *= box->shape[d];
    return run >= LONG_ROW || run == count;
}

void tg_exec_target(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_access *store = inst->as.access;
    bool has_strides = !m->refs[store->access.ref].recast;
    tg_box box;
    tg_box_of(m, &store->access, &box);
    if (has_strides && box.is_inside && box.is_legal && (store->is_of_dot || has_long_rows(&box)) &&
        (!store->access.has_mask || tg_mask_is_full(m, &store->access))) {
        tg_accessed_box(m, inst, TG_ACCESS_INTENT, &box, false);
        tg_use_memory(m, store->value.slot, &box, store->access.dtype);
    } else {
        tg_use_workspace(m, store->value.slot);
    }
}

static void load_old(tg_machine *m, const struct tg_inst_access *swap, const tg_box *box)
{
    tg_load_box(m, swap->access.dtype, box, tg_operand_at(m, &swap->old));
    if (swap->access.has_mask) tg_apply_mask(m, &swap->access, &swap->old, &swap->value);
}

static void store_block(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_access *store = inst->as.access;
    const tg_access_plan *a = &store->access;
    tg_listed listed;
    tg_box box;
    if (store->is_placed && !m->keeps_order) return;
    if (store->moves_all[m->storage[store->value.slot]]) {
        tg_listed_move_all(m, store, true);
        return;
    }
    if (tg_access_is_listed(m, a, &listed)) {
        tg_listed_store(m, inst, &listed);
        return;
    }
    if (tg_access_is_scattered(m, a, &box)) {
        tg_scattered_store(m, inst);
        return;
    }
    if (!box.is_legal) tg_report_box(m, inst, a, &box);
    bool is_done = (store->may_be_in_place || store->is_passed_on) &&
                   m->storage[store->value.slot] == TG_STORAGE_MEMORY;
    bool is_masked = !is_done && a->has_mask && !tg_mask_is_full(m, a);
    if (store->has_old) {
        tg_accessed_box(m, inst, TG_ACCESS_READ, &box, is_masked);
        load_old(m, store, &box);
    }
    if (!is_done) tg_accessed_box(m, inst, TG_ACCESS_INTENT, &box, is_masked);
    if (!is_done && tg_is_native(a->dtype) && !is_masked)
        store_box(m, a, &box, &store->value);
    else if (!is_done)
        store_rows(m, a, &box, &store->value, is_masked);
    tg_accessed_box(m, inst, TG_ACCESS_WRITE, &box, is_masked);
}

void tg_exec_store(tg_machine *m, const tg_inst *inst)
{
    tg_atomic_step_begin(m, inst->as.access);
    store_block(m, inst);
    tg_atomic_step_end(m, inst->as.access);
}
