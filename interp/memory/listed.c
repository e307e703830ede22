#include "interp/memory/listed.h"

#include <string.h>

#include "interp/blocks/kernels.h"
#include "interp/memory/cache_prefetch.h"
#include "interp/memory/forms.h"
#include "interp/memory/mask.h"
#include "interp/memory/notify.h"
#include "interp/memory/rows.h"
#include "interp/state/operand.h"

bool tg_access_is_listed(const tg_machine *m, const tg_access_plan *a, tg_listed *listed)
{
    if (a->has_arrays || !tg_ref_list(m, &m->refs[a->ref], &listed->list)) return false;
    tg_box_of(m, a, &listed->box);
    return listed->box.is_inside && listed->box.is_legal;
}

/* ---- rows ---- */

enum { OFFSET, VALUE, MASK, SIDES };

/* Rows of the box, and of views of its shape. */
typedef struct rows {
    tg_rows at;
    int rank;
    int64_t shape[TG_MAX_RANK], stride[SIDES][TG_MAX_RANK];
    /* Of the row: its first offset, and where its value and its mask begin; NULL: there is no mask. */
    int64_t origin, first;
    const unsigned char *values, *value;
    const uint8_t *masks, *mask;
    size_t value_bytes;
} rows;

/* Makes one dimension of the last two as long as they are one on all sides. */
static void fuse(rows *r)
{
    for (int last = r->rank - 1; last > 0; last--) {
        for (int side = 0; side < SIDES; side++)
            if (r->stride[side][last - 1] != r->stride[side][last] * r->shape[last]) return;
        for (int side = 0; side < SIDES; side++) r->stride[side][last - 1] = r->stride[side][last];
        r->shape[last - 1] *= r->shape[last];
        r->rank--;
    }
}

static void set_row(rows *r)
{
    r->first = r->origin + tg_rows_offset(&r->at, r->stride[OFFSET]);
    r->value = r->values + (size_t)tg_rows_offset(&r->at, r->stride[VALUE]) * r->value_bytes;
    r->mask = r->masks ? r->masks + tg_rows_offset(&r->at, r->stride[MASK]) : NULL;
}

/* `mask` is without data if there is none. */
static bool rows_begin(rows *r, const tg_box *box, const tg_view *value, size_t value_bytes,
                       const tg_view *mask)
{
    static const int64_t zeros[TG_MAX_RANK] = {0};
    *r = (rows){.rank = box->rank,
                .origin = box->origin,
                .values = value->data,
                .masks = mask->data,
                .value_bytes = value_bytes};
    for (int d = 0; d < box->rank && d < TG_MAX_RANK; d++) {
        r->shape[d] = box->shape[d];
        r->stride[OFFSET][d] = box->stride[d];
        r->stride[VALUE][d] = value->stride[d];
        r->stride[MASK][d] = mask->data ? mask->stride[d] : 0;
    }
    fuse(r);
    if (!tg_rows_begin(&r->at, r->rank, zeros, r->shape)) return false;
    set_row(r);
    return true;
}

static bool rows_next(rows *r)
{
    if (!tg_rows_next(&r->at)) return false;
    set_row(r);
    return true;
}

static int64_t count_of(const rows *r) { return r->shape[r->rank - 1]; }

static int64_t step_of(const rows *r, int side) { return r->stride[side][r->rank - 1]; }

static tg_view mask_view(const tg_machine *m, const tg_access_plan *a)
{
    if (!a->has_mask || tg_mask_is_full(m, a)) return (tg_view){0};
    return tg_box_view(m, &a->mask);
}

/* ---- runs ---- */

/* Moves the first `size` bytes of `count` runs to `dense`, or from there. */
typedef void move_fn(const int32_t *runs, int64_t count, unsigned char *data, size_t bytes,
                     unsigned char *dense, size_t size);

#define MOVE_RUNS(name, move)                                                                      \
    static void name(const int32_t *runs, int64_t count, unsigned char *data, size_t bytes,        \
                     unsigned char *dense, size_t size)                                            \
    {                                                                                              \
        switch (size) {                                                                            \
            EACH(1, move)                                                                          \
            EACH(2, move)                                                                          \
            EACH(4, move)                                                                          \
            EACH(8, move)                                                                          \
            EACH(16, move)                                                                         \
            EACH(32, move)                                                                         \
            EACH(64, move)                                                                         \
            EACH(128, move)                                                                        \
        default: ALL(size, move)                                                                   \
        }                                                                                          \
    }
#define EACH(n, move)                                                                              \
    case n:                                                                                        \
        ALL(n, move) return;
#define ALL(n, move)                                                                               \
    for (int64_t i = 0; i < count; i++, dense += (n))                                              \
        move(dense, data + runs[i] * (int64_t)bytes, n);
#define GET(dense, there, n) memcpy(dense, there, n)
#define PUT(dense, there, n) memcpy(there, dense, n)
MOVE_RUNS(get_runs, GET)
MOVE_RUNS(put_runs, PUT)

/* How elements move: in runs, or in whole rows of runs that a swizzle has permuted. */
typedef struct mover {
    move_fn *runs;
    tg_swizzle_fn *rows;
} mover;

static mover mover_of(const tg_machine *m, bool puts)
{
    const tg_block_kernels *kernels = tg_block_kernels_of(m->launch->elementwise);
    return puts ? (mover){put_runs, kernels->swizzle_moves[TG_SWIZZLE_PUT]}
                : (mover){get_runs, kernels->swizzle_moves[TG_SWIZZLE_GET]};
}

/* Moves `count` whole runs, from number `first` on. */
static void move_runs(const tg_list *l, int64_t first, int64_t count, unsigned char *dense,
                      size_t bytes, const mover *move)
{
    const int32_t *runs = l->runs + first;
    if (l->row_pieces && first % l->row_pieces == 0) {
        const int64_t turn = l->row_kinds * l->row_repeat;
        const tg_swizzled_rows swizzled = {
            .data = l->data,
            .runs = runs,
            .count = count / l->row_pieces,
            .element_bytes = (int64_t)bytes,
            .pieces = l->row_pieces,
            .kinds = turn && first / l->row_pieces % turn == 0 ? l->row_kinds : 0,
            .repeat = l->row_repeat};
        const int64_t done = swizzled.count * swizzled.pieces;
        move->rows(&swizzled, dense);
        runs += done;
        count -= done;
        dense += (size_t)(done * l->run) * bytes;
    }
    move->runs(runs, count, l->data, bytes, dense, (size_t)l->run * bytes);
}

/* Moves elements at offsets that follow each other: the rest of a run, whole ones, the start of one. */
static void move_dense(const tg_list *l, int64_t first, int64_t count, unsigned char *dense,
                       size_t bytes, const mover *move)
{
    const int64_t into = first % l->run;
    const int32_t *runs = l->runs + first / l->run;
    if (into) {
        const int64_t rest = l->run - into, head = rest < count ? rest : count;
        move->runs(runs++, 1, l->data + (size_t)into * bytes, bytes, dense, (size_t)head * bytes);
        dense += (size_t)head * bytes;
        count -= head;
    }
    const int64_t whole = count / l->run, tail = count % l->run;
    move_runs(l, runs - l->runs, whole, dense, bytes, move);
    if (tail)
        move->runs(runs + whole, 1, l->data, bytes, dense + (size_t)(whole * l->run) * bytes,
                   (size_t)tail * bytes);
}

static void move_row(const tg_list *l, int64_t first, int64_t step, int64_t count,
                     unsigned char *dense, size_t bytes, const mover *move)
{
    if (step == 1) {
        move_dense(l, first, count, dense, bytes, move);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        move_dense(l, first + i * step, 1, dense + (size_t)i * bytes, bytes, move);
}

void tg_listed_move_all(tg_machine *m, const struct tg_inst_access *access, bool puts)
{
    const struct tg_inst_recast *recast = m->refs[access->access.ref].recast;
    const tg_list list = tg_list_of(recast, m->refs[recast->from].data);
    const mover move = mover_of(m, puts);
    tg_prefetch_some(m);
    move_runs(&list, 0, tg_type_count(&recast->type) / list.run, tg_operand_at(m, &access->value),
              tg_dtypes[recast->type.dtype].bytes, &move);
}

/* ---- observers ---- */

/* Tells of the elements of a row that the mask turns on, in runs of neighbours. */
static void notify_row(const tg_machine *m, const tg_inst *inst, tg_access_kind kind,
                       const tg_listed *l, const rows *r)
{
    const size_t bytes = tg_dtypes[inst->as.access->access.dtype].bytes;
    const int64_t shift = (l->list.data - l->box.data) / (int64_t)bytes;
    int64_t start = 0, length = 0;
    for (int64_t i = 0; i < count_of(r); i++) {
        if (r->mask && !r->mask[i * step_of(r, MASK)]) continue;
        const int64_t number = tg_list_number(&l->list, r->first + i * step_of(r, OFFSET));
        if (number == start + length) {
            length++;
            continue;
        }
        if (length) tg_machine_accessed_run(m, inst, kind, bytes, shift + start, 1, length);
        start = number;
        length = 1;
    }
    if (length) tg_machine_accessed_run(m, inst, kind, bytes, shift + start, 1, length);
}

static void notify(const tg_machine *m, const tg_inst *inst, tg_access_kind kind,
                   const tg_listed *l, const tg_view *value, const tg_view *mask)
{
    rows r;
    if (!tg_is_watched(m, &inst->as.access->access, kind)) return;
    for (bool more = rows_begin(&r, &l->box, value, 0, mask); more; more = rows_next(&r))
        notify_row(m, inst, kind, l, &r);
}

/* ---- loads ---- */

/* Loads what the mask turns off as well. */
static void load(tg_machine *m, const tg_listed *l, tg_dtype dtype, const tg_operand *value)
{
    tg_elementwise_fn *convert = tg_elementwise_load(m->launch->elementwise, dtype);
    const size_t bytes = tg_dtypes[dtype].bytes, wide = tg_carrier_bytes[tg_carrier_of(dtype)];
    const tg_view to = tg_box_view(m, value), none = {0};
    const void *const strips = m->strips;
    const mover get = mover_of(m, false);
    rows r;
    for (bool more = rows_begin(&r, &l->box, &to, wide, &none); more; more = rows_next(&r)) {
        tg_prefetch_some(m);
        unsigned char *out = (unsigned char *)r.value;
        const int64_t count = count_of(&r), step = step_of(&r, OFFSET);
        if (!convert) move_row(&l->list, r.first, step, count, out, bytes, &get);
        for (int64_t i = 0; convert && i < count; i += TG_FORM_CHUNK) {
            const int64_t n = count - i < TG_FORM_CHUNK ? count - i : TG_FORM_CHUNK;
            move_row(&l->list, r.first + i * step, step, n, m->strips, bytes, &get);
            convert(out + (size_t)i * wide, &strips, 0, (size_t)n, 0);
        }
    }
}

void tg_listed_load(tg_machine *m, const tg_inst *inst, const tg_listed *listed)
{
    const struct tg_inst_access *access = inst->as.access;
    const tg_access_plan *a = &access->access;
    const tg_view mask = mask_view(m, a), to = tg_box_view(m, &access->value);
    notify(m, inst, TG_ACCESS_READ, listed, &to, &mask);
    load(m, listed, a->dtype, &access->value);
    if (mask.data && !tg_mask_shows_memory(m, a))
        tg_apply_mask(m, a, &access->value, a->has_other ? &a->other : NULL);
}

/* ---- stores ---- */

/* Stores `count` elements of the row from number `done` on. */
static void put(const tg_listed *l, const rows *r, int64_t done, int64_t count,
                const unsigned char *from, size_t bytes, const mover *move)
{
    const int64_t step = step_of(r, OFFSET), apart = step_of(r, MASK);
    const int64_t first = r->first + done * step;
    unsigned char *dense = (unsigned char *)from; /* not written: see put_runs */
    if (!r->mask) {
        move_row(&l->list, first, step, count, dense, bytes, move);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        if (r->mask[(done + i) * apart])
            move_dense(&l->list, first + i * step, 1, dense + (size_t)i * bytes, bytes, move);
}

static void store(tg_machine *m, const tg_listed *l, tg_dtype dtype, const tg_view *value,
                  const tg_view *mask)
{
    const size_t bytes = tg_dtypes[dtype].bytes, wide = tg_carrier_bytes[tg_carrier_of(dtype)];
    const mover move = mover_of(m, true);
    rows r;
    for (bool more = rows_begin(&r, &l->box, value, wide, mask); more; more = rows_next(&r)) {
        tg_prefetch_some(m);
        const int64_t count = count_of(&r), apart = step_of(&r, VALUE);
        const bool is_ready = apart == 1 && tg_is_native(dtype);
        const int64_t most = is_ready ? count : TG_FORM_CHUNK;
        for (int64_t i = 0; i < count; i += most) {
            const int64_t n = count - i < most ? count - i : most;
            const unsigned char *from = r.value + i * apart * (int64_t)wide;
            put(l, &r, i, n, is_ready ? from : tg_memory_form(m, dtype, from, apart, n), bytes,
                &move);
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
