#include "interp/memory/listed.h"

#include <string.h>

#include "interp/memory/forms.h"
#include "interp/memory/mask.h"
#include "interp/memory/notify.h"
#include "interp/memory/rows.h"
#include "interp/state/operand.h"

static bool is_dense(const tg_ref *ref, const tg_type *type)
{
    int64_t dense[TG_MAX_RANK];
    if (ref->recast || !ref->is_inside || ref->is_nothing) return false;
    tg_dense_strides(type->rank, type->shape, dense);
    for (int d = 0; d < type->rank; d++)
        if (type->shape[d] != 1 && ref->stride[d] != dense[d]) return false;
    return true;
}

bool tg_access_is_listed(const tg_machine *m, const tg_access_plan *a, tg_listed *listed)
{
    const struct tg_inst_recast *recast = m->refs[a->ref].recast;
    if (a->has_arrays || !recast || !recast->numbers) return false;
    const tg_ref *from = &m->refs[recast->from];
    if (!is_dense(from, &recast->from_type)) return false;
    tg_box_of(m, a, &listed->box);
    listed->numbers = recast->numbers;
    listed->data = from->data + from->origin * tg_dtypes[a->dtype].bytes;
    listed->run = recast->run;
    return listed->box.is_inside && listed->box.is_legal;
}

/* ---- rows ---- */

/* Rows of the list, and of views of the same shape: the value, or the mask. */
typedef struct rows {
    tg_rows at;
    int64_t count; /* entries per row, .. */
    int64_t step;  /* .. so far apart */
    tg_box box;
    tg_view value, mask; /* the mask is without data if there is none */
} rows;

static bool follows(const int64_t *stride, const int64_t *shape, int last)
{
    return stride[last - 1] == stride[last] * shape[last];
}

/* Makes one dimension of the last two as long as they are one everywhere. */
static void fuse(rows *r)
{
    tg_box *box = &r->box;
    for (int last = box->rank - 1; last > 0; last = box->rank - 1) {
        if (!follows(box->stride, box->shape, last) ||
            !follows(r->value.stride, box->shape, last) ||
            (r->mask.data && !follows(r->mask.stride, box->shape, last)))
            return;
        box->shape[last - 1] *= box->shape[last];
        box->stride[last - 1] = box->stride[last];
        r->value.stride[last - 1] = r->value.stride[last];
        r->mask.stride[last - 1] = r->mask.stride[last];
        box->rank--;
    }
}

static bool rows_begin(rows *r, const tg_box *box, const tg_view *value, const tg_view *mask)
{
    static const int64_t zeros[TG_MAX_RANK] = {0};
    *r = (rows){.box = *box, .value = *value, .mask = *mask};
    fuse(r);
    r->count = r->box.shape[r->box.rank - 1];
    r->step = r->box.stride[r->box.rank - 1];
    return tg_rows_begin(&r->at, r->box.rank, zeros, r->box.shape);
}

static int64_t entry_of(const rows *r)
{
    return r->box.origin + tg_rows_offset(&r->at, r->box.stride);
}

static const unsigned char *value_of(const rows *r, size_t bytes)
{
    return (const unsigned char *)r->value.data +
           tg_rows_offset(&r->at, r->value.stride) * (int64_t)bytes;
}

/* NULL: there is no mask. */
static const uint8_t *mask_of(const rows *r)
{
    const uint8_t *data = r->mask.data;
    return data ? data + tg_rows_offset(&r->at, r->mask.stride) : NULL;
}

static int64_t mask_step(const rows *r) { return r->mask.stride[r->box.rank - 1]; }

static tg_view mask_view(const tg_machine *m, const tg_access_plan *a)
{
    if (!a->has_mask || tg_mask_is_full(m, a)) return (tg_view){0};
    return tg_box_view(m, &a->mask);
}

/* ---- runs ---- */

static inline void move_one(unsigned char *dense, unsigned char *there, size_t bytes, bool puts)
{
    if (puts)
        memcpy(there, dense, bytes);
    else
        memcpy(dense, there, bytes);
}

/* Moves `count` runs of `run_bytes`; their entries are `step` apart. */
static inline void move_runs(const tg_listed *l, int64_t first, int64_t step, int64_t count,
                             unsigned char *dense, size_t bytes, size_t run_bytes, bool puts)
{
    const int32_t *numbers = l->numbers + first;
    switch (run_bytes) {
#define X(n)                                                                                       \
    case n:                                                                                        \
        for (int64_t i = 0; i < count; i++)                                                        \
            move_one(dense + i * (n), l->data + numbers[i * step] * (int64_t)bytes, n, puts);      \
        return;
        X(1)
        X(2)
        X(4)
        X(8)
        X(16)
        X(32)
        X(64)
        X(128)
#undef X
    default:
        for (int64_t i = 0; i < count; i++)
            move_one(dense + (size_t)i * run_bytes, l->data + numbers[i * step] * (int64_t)bytes,
                     run_bytes, puts);
    }
}

/* Moves `count` elements whose entries follow each other: part of a run, whole ones, part of one. */
static inline void move_row(const tg_listed *l, int64_t first, int64_t step, int64_t count,
                            unsigned char *dense, size_t bytes, bool puts)
{
    if (step != 1 || l->run == 1) {
        move_runs(l, first, step, count, dense, bytes, bytes, puts);
        return;
    }
    const int64_t into = first % l->run;
    int64_t head = into ? l->run - into : 0;
    if (head > count) head = count;
    const int64_t whole = (count - head) / l->run, tail = (count - head) % l->run;
    if (head) move_runs(l, first, 1, 1, dense, bytes, (size_t)head * bytes, puts);
    first += head, dense += (size_t)head * bytes;
    move_runs(l, first, l->run, whole, dense, bytes, (size_t)l->run * bytes, puts);
    first += whole * l->run, dense += (size_t)(whole * l->run) * bytes;
    if (tail) move_runs(l, first, 1, 1, dense, bytes, (size_t)tail * bytes, puts);
}

static void get_row(const tg_listed *l, int64_t first, int64_t step, int64_t count,
                    unsigned char *to, size_t bytes)
{
    move_row(l, first, step, count, to, bytes, false);
}

static void put_row(const tg_listed *l, int64_t first, int64_t step, int64_t count,
                    const unsigned char *from, size_t bytes)
{
    move_row(l, first, step, count, (unsigned char *)from, bytes, true);
}

/* ---- observers ---- */

/* Tells of the elements of a row that the mask turns on, in runs of neighbours. */
static void notify_row(const tg_machine *m, const tg_inst *inst, tg_access_kind kind,
                       const tg_listed *l, const rows *r)
{
    const size_t bytes = tg_dtypes[inst->as.access->access.dtype].bytes;
    const int64_t shift = (l->data - l->box.data) / (int64_t)bytes;
    const int32_t *numbers = l->numbers + entry_of(r);
    const uint8_t *mask = mask_of(r);
    int64_t start = 0, length = 0;
    for (int64_t i = 0; i < r->count; i++) {
        const bool is_on = !mask || mask[i * mask_step(r)];
        const int64_t number = numbers[i * r->step];
        if (is_on && length && number == start + length) {
            length++;
            continue;
        }
        if (length) tg_machine_accessed_run(m, inst, kind, bytes, shift + start, 1, length);
        start = number;
        length = is_on;
    }
    if (length) tg_machine_accessed_run(m, inst, kind, bytes, shift + start, 1, length);
}

static void notify(const tg_machine *m, const tg_inst *inst, tg_access_kind kind,
                   const tg_listed *l, const tg_view *value, const tg_view *mask)
{
    rows r;
    if (!tg_is_watched(m, &inst->as.access->access, kind)) return;
    for (bool more = rows_begin(&r, &l->box, value, mask); more; more = tg_rows_next(&r.at))
        notify_row(m, inst, kind, l, &r);
}

/* ---- loads ---- */

static tg_view dense_view(const tg_machine *m, const tg_box *box, const tg_operand *o)
{
    tg_view view = {.data = tg_operand_at(m, o), .rank = box->rank};
    tg_dense_strides(box->rank, box->shape, view.stride);
    return view;
}

/* Loads what the mask turns off as well. */
static void load(tg_machine *m, const tg_listed *l, tg_dtype dtype, const tg_operand *value)
{
    tg_elementwise_fn *convert = tg_elementwise_load(m->launch->elementwise, dtype);
    const size_t bytes = tg_dtypes[dtype].bytes, wide = tg_carrier_bytes[tg_carrier_of(dtype)];
    const tg_view to = dense_view(m, &l->box, value), none = {0};
    const void *const strips = m->strips;
    rows r;
    for (bool more = rows_begin(&r, &l->box, &to, &none); more; more = tg_rows_next(&r.at)) {
        unsigned char *out = (unsigned char *)value_of(&r, wide);
        const int64_t first = entry_of(&r);
        if (!convert) get_row(l, first, r.step, r.count, out, bytes);
        for (int64_t i = 0; convert && i < r.count; i += TG_FORM_CHUNK) {
            const int64_t n = r.count - i < TG_FORM_CHUNK ? r.count - i : TG_FORM_CHUNK;
            get_row(l, first + i * r.step, r.step, n, m->strips, bytes);
            convert(out + (size_t)i * wide, &strips, 0, (size_t)n, 0);
        }
    }
}

void tg_listed_load(tg_machine *m, const tg_inst *inst, const tg_listed *listed)
{
    const struct tg_inst_access *access = inst->as.access;
    const tg_access_plan *a = &access->access;
    const tg_view mask = mask_view(m, a), to = dense_view(m, &listed->box, &access->value);
    notify(m, inst, TG_ACCESS_READ, listed, &to, &mask);
    load(m, listed, a->dtype, &access->value);
    if (mask.data && !tg_mask_shows_memory(m, a))
        tg_apply_mask(m, a, &access->value, a->has_other ? &a->other : NULL);
}

/* ---- stores ---- */

static void put_masked(const tg_listed *l, int64_t first, int64_t step, int64_t count,
                       const unsigned char *from, size_t bytes, const uint8_t *mask, int64_t apart)
{
    for (int64_t i = 0; i < count; i++)
        if (mask[i * apart]) put_row(l, first + i * step, step, 1, from + (size_t)i * bytes, bytes);
}

static void store(tg_machine *m, const tg_listed *l, tg_dtype dtype, const tg_view *value,
                  const tg_view *mask)
{
    const size_t bytes = tg_dtypes[dtype].bytes, wide = tg_carrier_bytes[tg_carrier_of(dtype)];
    rows r;
    for (bool more = rows_begin(&r, &l->box, value, mask); more; more = tg_rows_next(&r.at)) {
        const int64_t apart = r.value.stride[r.box.rank - 1], first = entry_of(&r);
        const uint8_t *on = mask_of(&r);
        for (int64_t i = 0; i < r.count; i += TG_FORM_CHUNK) {
            const int64_t n = r.count - i < TG_FORM_CHUNK ? r.count - i : TG_FORM_CHUNK;
            const unsigned char *from =
                tg_memory_form(m, dtype, value_of(&r, wide) + i * apart * (int64_t)wide, apart, n);
            if (on)
                put_masked(l, first + i * r.step, r.step, n, from, bytes, on + i * mask_step(&r),
                           mask_step(&r));
            else
                put_row(l, first + i * r.step, r.step, n, from, bytes);
        }
    }
}

void tg_listed_store(tg_machine *m, const tg_inst *inst, const tg_listed *listed)
{
    const struct tg_inst_access *access = inst->as.access;
    const tg_access_plan *a = &access->access;
    const tg_view mask = mask_view(m, a), value = tg_box_view(m, &access->value);
    if (access->has_old) {
        notify(m, inst, TG_ACCESS_READ, listed, &value, &mask);
        load(m, listed, a->dtype, &access->old);
        if (mask.data) tg_apply_mask(m, a, &access->old, &access->value);
    }
    notify(m, inst, TG_ACCESS_INTENT, listed, &value, &mask);
    store(m, listed, a->dtype, &value, &mask);
    notify(m, inst, TG_ACCESS_WRITE, listed, &value, &mask);
}
