/* Loads and stores of strided boxes: in place where a block lies wholly inside its array, by copies of
 * the part inside otherwise. */
#include "interp/access.h"
#include "interp/exec.h"

#include <string.h>

enum { CHUNK = 512 }; /* elements converted at a time, in the machine's strips */

/* ---- slots that can stand for memory ---- */

static void use_memory(tg_machine *m, tg_slot_id slot, const tg_box *box, tg_dtype dtype)
{
    m->slot[slot] = box->data + box->origin * tg_dtypes[dtype].bytes;
    m->layout[slot] = TG_LAYOUT_MEMORY;
}

static void use_workspace(tg_machine *m, tg_slot_id slot)
{
    m->slot[slot] = m->workspace + m->launch->plan->slots[slot].offset;
    m->layout[slot] = TG_LAYOUT_DENSE;
}

/* ---- telling observers ---- */

static void touched_box(const tg_machine *m, const tg_inst *inst, tg_touch_kind kind,
                        const tg_box *box)
{
    const tg_access_plan *a = &inst->as.access->access;
    if (!tg_is_watched(m, a, kind)) return;
    tg_touch touch; /* what lies beyond its rank is nobody's business, and zeroing it costs */
    touch.kind = kind;
    touch.param = a->root;
    touch.width = tg_dtypes[a->dtype].bytes;
    touch.inst = inst;
    touch.first = box->origin;
    touch.rank = box->rank;
    for (int d = 0; d < box->rank; d++) {
        touch.first += box->low[d] * box->stride[d];
        touch.count[d] = box->high[d] - box->low[d];
        touch.stride[d] = box->stride[d];
    }
    tg_machine_touched(m, &touch);
}

/* Runs of set lanes that are neighbours in memory are told together. */
static void touched_masked(const tg_machine *m, const tg_inst *inst, tg_touch_kind kind,
                           int64_t first, int64_t stride, int64_t count, const uint8_t *mask,
                           int64_t mask_stride)
{
    const tg_access_plan *a = &inst->as.access->access;
    const size_t width = tg_dtypes[a->dtype].bytes;
    if (!tg_is_watched(m, a, kind)) return;
    for (int64_t i = 0; i < count;) {
        int64_t run = 0;
        while (i + run < count && mask[(i + run) * mask_stride]) run++;
        if (run) tg_machine_touched_run(m, inst, kind, width, first + i * stride, stride, run);
        i += run ? run : 1;
    }
}

static void touched_rows(const tg_machine *m, const tg_inst *inst, tg_touch_kind kind,
                         const tg_box *box)
{
    if (!tg_is_watched(m, &inst->as.access->access, kind)) return;
    tg_view mask = tg_box_view(m, &inst->as.access->access.mask);
    int last = box->rank - 1;
    tg_rows rows;
    for (bool more = tg_rows_begin(&rows, box->rank, box->low, box->high); more;
         more = tg_rows_next(&rows)) {
        int64_t low = box->low[last];
        touched_masked(m, inst, kind,
                       box->origin + tg_rows_offset(&rows, box->stride) + low * box->stride[last],
                       box->stride[last], box->high[last] - low,
                       (const uint8_t *)mask.data + tg_rows_offset(&rows, mask.stride) +
                           low * mask.stride[last],
                       mask.stride[last]);
    }
}

/* The part of the box inside the array, or of that where the mask is set. */
static void touched(const tg_machine *m, const tg_inst *inst, tg_touch_kind kind, const tg_box *box,
                    bool is_masked)
{
    if (is_masked)
        touched_rows(m, inst, kind, box);
    else
        touched_box(m, inst, kind, box);
}

/* ---- from memory ---- */

/* Converts a row of memory to carriers, `stride` elements apart in memory. */
static void load_row(tg_machine *m, tg_dtype dtype, unsigned char *to, const unsigned char *from,
                     int64_t stride, int64_t count)
{
    tg_lanes_fn *load = tg_lanes_load(m->launch->lanes, dtype);
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

/* The part of the box inside the array goes to the dense block `to`; the rest of that is undefined. */
static void load_box(tg_machine *m, tg_dtype dtype, const tg_box *box, unsigned char *to)
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
    tg_rows rows;
    int last = box->rank - 1;
    for (bool more = tg_rows_begin(&rows, box->rank, box->low, box->high); more;
         more = tg_rows_next(&rows)) {
        int64_t in =
            box->origin + tg_rows_offset(&rows, box->stride) + box->low[last] * box->stride[last];
        int64_t out = tg_rows_offset(&rows, dense) + box->low[last];
        load_row(m, dtype, to + out * (int64_t)wide, box->data + in * (int64_t)bytes,
                 box->stride[last], part.shape[last]);
    }
}

/* ---- masks ---- */

static void blend(unsigned char *to, const uint8_t *mask, int64_t mask_stride,
                  const unsigned char *other, int64_t other_stride, int64_t count, size_t bytes)
{
    switch (bytes) {
#define X(n, type)                                                                                 \
    case n:                                                                                        \
        for (int64_t i = 0; i < count; i++) {                                                      \
            type old = ((type *)to)[i], instead = ((const type *)other)[i * other_stride];         \
            ((type *)to)[i] = mask[i * mask_stride] ? old : instead;                               \
        }                                                                                          \
        return;
        X(1, uint8_t)
        X(2, uint16_t)
        X(4, uint32_t)
        X(8, uint64_t)
#undef X
    default: return;
    }
}

void tg_apply_mask(const tg_machine *m, const tg_access_plan *a, const tg_operand *value,
                   const tg_operand *other)
{
    tg_view to = tg_box_view(m, value), mask = tg_box_view(m, &a->mask), instead = {0};
    size_t bytes = tg_carrier_bytes[tg_carrier_of(a->dtype)];
    const int64_t zeros[TG_MAX_RANK] = {0};
    int last = to.rank - 1;
    uint64_t undefined = 0;
    tg_rows rows;
    tg_launch_fill(m->launch, &undefined, a->dtype, 1);
    instead.data = &undefined;
    if (other) instead = tg_box_view(m, other);
    for (bool more = tg_rows_begin(&rows, to.rank, zeros, to.shape); more;
         more = tg_rows_next(&rows))
        blend((unsigned char *)to.data + tg_rows_offset(&rows, to.stride) * (int64_t)bytes,
              (const uint8_t *)mask.data + tg_rows_offset(&rows, mask.stride), mask.stride[last],
              (const unsigned char *)instead.data +
                  tg_rows_offset(&rows, instead.stride) * (int64_t)bytes,
              instead.stride[last], to.shape[last], bytes);
}

/* Whether every element of the mask is set; looks at each element in memory once, however broadcast. */
static bool is_all_set(const tg_machine *m, const tg_access_plan *a)
{
    tg_view mask = tg_box_view(m, &a->mask);
    const int64_t zeros[TG_MAX_RANK] = {0};
    int last = mask.rank - 1;
    tg_rows rows;
    for (int d = 0; d < mask.rank; d++)
        if (mask.stride[d] == 0 && mask.shape[d] > 1) mask.shape[d] = 1;
    for (bool more = tg_rows_begin(&rows, mask.rank, zeros, mask.shape); more;
         more = tg_rows_next(&rows)) {
        const uint8_t *row = (const uint8_t *)mask.data + tg_rows_offset(&rows, mask.stride);
        if (mask.stride[last] == 1) {
            if (memchr(row, 0, (size_t)mask.shape[last])) return false;
            continue;
        }
        for (int64_t i = 0; i < mask.shape[last]; i++)
            if (!row[i * mask.stride[last]]) return false;
    }
    return true;
}

static bool row_is_legal(const tg_rows *rows, const tg_box *box)
{
    for (int d = 0; d < box->rank - 1; d++)
        if (rows->index[d] < box->legal_low[d] || rows->index[d] >= box->legal_high[d])
            return false;
    return true;
}

static bool any_set(const uint8_t *mask, int64_t stride, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++)
        if (mask[i * stride]) return true;
    return false;
}

/* A masked access may reach outside its ref where the mask is off, but nowhere else. */
static void check_mask(tg_machine *m, const tg_inst *inst, const tg_access_plan *a,
                       const tg_box *box)
{
    tg_view mask = tg_box_view(m, &a->mask);
    const int64_t zeros[TG_MAX_RANK] = {0};
    int last = box->rank - 1;
    tg_rows rows;
    for (bool more = tg_rows_begin(&rows, box->rank, zeros, box->shape); more;
         more = tg_rows_next(&rows)) {
        const uint8_t *row = (const uint8_t *)mask.data + tg_rows_offset(&rows, mask.stride);
        int64_t stride = mask.stride[last], extent = box->shape[last];
        int64_t low = row_is_legal(&rows, box) ? box->legal_low[last] : extent;
        int64_t high = low == extent ? extent : box->legal_high[last];
        if (!any_set(row, stride, 0, low) && !any_set(row, stride, high, extent)) continue;
        tg_report_access(m, inst, a, box->bad_dim, box->bad_index);
        return;
    }
}

static void check_box(tg_machine *m, const tg_inst *inst, const tg_access_plan *a,
                      const tg_box *box)
{
    if (box->is_legal) return;
    if (a->has_mask && tg_setting_pads_masked(&m->launch->setting)) return; /* over the end */
    if (a->has_mask)
        check_mask(m, inst, a, box);
    else
        tg_report_access(m, inst, a, box->bad_dim, box->bad_index);
}

bool tg_access_is_scattered(const tg_machine *m, const tg_access_plan *a, tg_box *box)
{
    if (a->has_arrays || m->refs[a->ref].through) return true;
    tg_box_of(m, a, box);
    return a->is_even && tg_setting_clamps(&m->launch->setting) && !box->is_legal;
}

bool tg_mask_shows_memory(const tg_machine *m, const tg_access_plan *a)
{
    return tg_setting_loads_masked_off(&m->launch->setting) && !a->has_other;
}

void tg_exec_load(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_access *load = inst->as.access;
    const tg_access_plan *a = &load->access;
    tg_box box;
    if (tg_access_is_scattered(m, a, &box)) {
        if (load->may_be_in_place) use_workspace(m, load->value.slot);
        tg_scattered_load(m, inst);
        return;
    }
    check_box(m, inst, a, &box);
    bool is_masked = a->has_mask && !is_all_set(m, a);
    touched(m, inst, TG_TOUCH_READ, &box, is_masked);
    if (load->may_be_in_place) {
        if (box.is_inside && !is_masked && !(load->is_of_dot && m->stops)) {
            use_memory(m, load->value.slot, &box, a->dtype);
            return;
        }
        use_workspace(m, load->value.slot);
    }
    load_box(m, a->dtype, &box, tg_operand_at(m, &load->value));
    if (is_masked && !tg_mask_shows_memory(m, a))
        tg_apply_mask(m, a, &load->value, a->has_other ? &a->other : NULL);
}

/* ---- to memory ---- */

/* A run of elements in memory representation goes to memory where the mask (NULL: everywhere) is set. */
static void put(unsigned char *to, int64_t to_stride, const unsigned char *from, int64_t count,
                const uint8_t *mask, int64_t mask_stride, size_t bytes)
{
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

/* Brings `count` strided carriers into memory representation, in the strips; returns where they are. */
static const unsigned char *to_memory_form(tg_machine *m, tg_dtype dtype, const unsigned char *from,
                                           int64_t stride, int64_t count)
{
    size_t wide = tg_carrier_bytes[tg_carrier_of(dtype)];
    unsigned char *carriers = m->strips, *bytes = m->strips + (size_t)CHUNK * 8;
    const void *src = from;
    const int64_t dense = 1;
    if (stride != 1) {
        tg_view row = {.data = from, .rank = 1, .shape = {count}, .stride = {stride}};
        tg_copy_view(carriers, &dense, &row, wide);
        src = carriers;
    }
    tg_lanes_fn *store = tg_lanes_store(m->launch->lanes, dtype);
    if (!store) return src;
    store(bytes, &src, 0, (size_t)count, 0);
    return bytes;
}

static void store_rows(tg_machine *m, const tg_access_plan *a, const tg_box *box,
                       const tg_operand *value, bool is_masked)
{
    size_t bytes = tg_dtypes[a->dtype].bytes, wide = tg_carrier_bytes[tg_carrier_of(a->dtype)];
    tg_view from = tg_box_view(m, value), mask = {0};
    int last = box->rank - 1;
    tg_rows rows;
    if (is_masked) mask = tg_box_view(m, &a->mask);
    for (bool more = tg_rows_begin(&rows, box->rank, box->low, box->high); more;
         more = tg_rows_next(&rows)) {
        for (int64_t i = box->low[last]; i < box->high[last]; i += CHUNK) {
            int64_t n = box->high[last] - i < CHUNK ? box->high[last] - i : CHUNK;
            int64_t at = box->origin + tg_rows_offset(&rows, box->stride) + i * box->stride[last];
            int64_t in = tg_rows_offset(&rows, from.stride) + i * from.stride[last];
            const uint8_t *set = mask.data ? (const uint8_t *)mask.data +
                                                 tg_rows_offset(&rows, mask.stride) +
                                                 i * mask.stride[last]
                                           : NULL;
            put(box->data + at * (int64_t)bytes, box->stride[last],
                to_memory_form(m, a->dtype, (const unsigned char *)from.data + in * (int64_t)wide,
                               from.stride[last], n),
                n, set, set ? mask.stride[last] : 0, bytes);
        }
    }
}

/* Native and unmasked: one copy. */
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

/* Whether computing right in memory pays: over short rows that do not follow one another, a group's work per
 * row costs more than a copy of the finished block. */
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
    bool has_strides = !m->refs[store->access.ref].through;
    tg_box box;
    tg_box_of(m, &store->access, &box);
    if (has_strides && box.is_inside && box.is_legal && (store->is_of_dot || has_long_rows(&box)) &&
        (!store->access.has_mask || is_all_set(m, &store->access))) {
        touched_box(m, inst, TG_TOUCH_INTENT, &box);
        use_memory(m, store->value.slot, &box, store->access.dtype);
    } else {
        use_workspace(m, store->value.slot);
    }
}

static void load_old(tg_machine *m, const struct tg_inst_access *swap, const tg_box *box)
{
    load_box(m, swap->access.dtype, box, tg_operand_at(m, &swap->old));
    if (swap->access.has_mask) tg_apply_mask(m, &swap->access, &swap->old, &swap->value);
}

void tg_exec_store(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_access *store = inst->as.access;
    const tg_access_plan *a = &store->access;
    tg_box box;
    if (tg_access_is_scattered(m, a, &box)) {
        tg_scattered_store(m, inst);
        return;
    }
    check_box(m, inst, a, &box);
    bool is_done = store->may_be_in_place && m->layout[store->value.slot] == TG_LAYOUT_MEMORY;
    bool is_masked = !is_done && a->has_mask && !is_all_set(m, a);
    if (store->has_old) {
        touched(m, inst, TG_TOUCH_READ, &box, is_masked);
        load_old(m, store, &box);
    }
    if (!is_done) touched(m, inst, TG_TOUCH_INTENT, &box, is_masked);
    if (!is_done && tg_is_native(a->dtype) && !is_masked)
        store_box(m, a, &box, &store->value);
    else if (!is_done)
        store_rows(m, a, &box, &store->value, is_masked);
    touched(m, inst, TG_TOUCH_WRITE, &box, is_masked);
}
