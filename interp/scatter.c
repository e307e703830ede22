/* Accesses through index arrays or refs without strides, and atomics: one element after the other,
 * row-major. */
#include <string.h>

#include "interp/access.h"

enum { CHUNK = 512 };

/* Position of one dimension of the ref as a function of the result index. */
typedef struct source {
    bool is_array;
    int64_t start, stride; /* slice */
    int result_dim;
    tg_view positions; /* array, i64, its dimensions at result dimension `first` on */
} source;

typedef struct walker {
    tg_machine *m;
    const tg_inst *inst;
    const tg_access_plan *a;
    const tg_ref *ref;
    source dims[TG_MAX_RANK];
    int64_t shape[TG_MAX_RANK], index[TG_MAX_RANK], count;
    int rank;
    bool has_reported;
} walker;

/* Indices from the first to the last of a slice, that included. */
static int64_t slice_span(const tg_access_dim *dim)
{
    int64_t span;
    if (__builtin_mul_overflow(dim->size - 1, dim->stride, &span) || span == INT64_MAX)
        return INT64_MAX;
    return span + 1;
}

static walker walk(tg_machine *m, const tg_inst *inst)
{
    const tg_access_plan *a = &inst->as.access->access;
    walker w = {.m = m, .inst = inst, .a = a, .ref = &m->refs[a->ref], .rank = a->result.rank};
    w.count = tg_type_count(&a->result);
    memcpy(w.shape, a->result.shape, sizeof w.shape);
    bool clamps = m->launch->is_jax && !a->has_mask && !a->has_arrays && !a->is_even;
    for (int d = 0; d < a->rank; d++) {
        const tg_access_dim *dim = &a->dims[d];
        source *s = &w.dims[d];
        s->is_array = dim->kind == TG_INDEX_AT;
        s->result_dim = dim->result_dim;
        s->stride = dim->stride;
        s->start = dim->start;
        if (s->is_array)
            s->positions = tg_operand_view(m, &dim->operand);
        else if (dim->has_operand)
            s->start = tg_operand_int(m, &dim->operand);
        if (clamps && !s->is_array)
            s->start = tg_clamp_slice(s->start, slice_span(dim), w.ref->shape[d]);
    }
    return w;
}

static void next_element(walker *w)
{
    for (int d = w->rank - 1; d >= 0; d--) {
        if (++w->index[d] < w->shape[d]) return;
        w->index[d] = 0;
    }
}

static int64_t position(const walker *w, const source *s)
{
    if (!s->is_array) {
        int64_t at;
        if (__builtin_mul_overflow(w->index[s->result_dim], s->stride, &at) ||
            __builtin_add_overflow(at, s->start, &at))
            return INT64_MAX;
        return at;
    }
    int64_t offset = 0;
    for (int d = 0; d < s->positions.rank; d++)
        offset += w->index[w->a->position_first + d] * s->positions.stride[d];
    return ((const int64_t *)s->positions.data)[offset];
}

static int64_t move_inside(int64_t at, int64_t extent)
{
    if (at < 0) at += extent;
    return at < 0 ? 0 : at >= extent ? extent - 1 : at;
}

/* Where the element at this offset of the ref is; false where there is none. */
static bool find_pieces(const walker *w, int64_t offset, tg_pieces *pieces)
{
    if (w->ref->through) return tg_ref_pieces(w->m, w->ref, w->a->dtype, offset, pieces);
    pieces->piece_bytes = tg_dtypes[w->a->dtype].bytes;
    pieces->count = 1;
    pieces->at[0] = w->ref->data + offset * (int64_t)pieces->piece_bytes;
    return true;
}

/* Finds the current element in memory; false where there is none, which is reported if it is outside the
 * ref (and not only outside the array). */
static bool locate(walker *w, tg_pieces *pieces)
{
    bool is_inside = !w->ref->is_nothing;
    int64_t offset = w->ref->origin;
    for (int d = 0; d < w->a->rank; d++) {
        int64_t at = position(w, &w->dims[d]);
        if (w->m->launch->is_jax && !w->a->has_mask) at = move_inside(at, w->ref->shape[d]);
        if (at < 0 || at >= w->ref->shape[d]) {
            if (!w->has_reported) tg_report_access(w->m, w->inst, w->a, d, at);
            w->has_reported = true;
            return false;
        }
        if (at < w->ref->low[d] || at >= w->ref->high[d]) is_inside = false;
        offset += at * w->ref->stride[d];
    }
    return is_inside && find_pieces(w, offset, pieces);
}

static int64_t view_offset(const walker *w, const tg_view *view)
{
    int64_t offset = 0;
    for (int d = 0; d < w->rank; d++) offset += w->index[d] * view->stride[d];
    return offset;
}

static bool is_masked_off(const walker *w, const tg_view *mask)
{
    return mask->data && !((const uint8_t *)mask->data)[view_offset(w, mask)];
}

static tg_view mask_view(const walker *w)
{
    return w->a->has_mask ? tg_operand_view(w->m, &w->a->mask) : (tg_view){0};
}

static void touched_element(const walker *w, tg_touch_kind kind, const tg_pieces *pieces)
{
    if (!tg_is_watched(w->m, w->a, kind)) return;
    const size_t width = pieces->piece_bytes;
    const int shift = __builtin_ctz((unsigned)width); /* a division costs more */
    for (int i = 0; i < pieces->count; i++)
        tg_machine_touched_run(w->m, w->inst, kind, width, (pieces->at[i] - w->ref->data) >> shift,
                               1, 1);
}

static void read_pieces(const tg_pieces *pieces, unsigned char *to)
{
    for (int i = 0; i < pieces->count; i++)
        memcpy(to + (size_t)i * pieces->piece_bytes, pieces->at[i], pieces->piece_bytes);
}

static void write_pieces(const tg_pieces *pieces, const unsigned char *from)
{
    for (int i = 0; i < pieces->count; i++)
        memcpy(pieces->at[i], from + (size_t)i * pieces->piece_bytes, pieces->piece_bytes);
}

void tg_access_elements(tg_machine *m, const tg_inst *inst,
                        void (*visit)(void *context, const tg_pieces *pieces), void *context)
{
    walker w = walk(m, inst);
    tg_view mask = mask_view(&w);
    w.has_reported = true; /* by the access itself */
    for (int64_t i = 0; i < w.count; i++, next_element(&w)) {
        tg_pieces pieces;
        if (!is_masked_off(&w, &mask) && locate(&w, &pieces)) visit(context, &pieces);
    }
}

/* ---- load ---- */

/* Fetches a chunk of elements in memory representation. */
static void fetch(walker *w, unsigned char *to, const tg_view *mask, int64_t count)
{
    size_t bytes = tg_dtypes[w->a->dtype].bytes;
    tg_launch_fill_memory(w->m->launch, to, w->a->dtype, (size_t)count);
    for (int64_t i = 0; i < count; i++, next_element(w)) {
        tg_pieces pieces;
        if (is_masked_off(w, mask) || !locate(w, &pieces)) continue;
        touched_element(w, TG_TOUCH_READ, &pieces);
        read_pieces(&pieces, to + (size_t)i * bytes);
    }
}

static void load_all(walker *w, const tg_operand *value)
{
    tg_machine *m = w->m;
    tg_dtype dtype = w->a->dtype;
    size_t bytes = tg_dtypes[dtype].bytes, wide = tg_carrier_bytes[tg_carrier_of(dtype)];
    tg_lanes_fn *load = tg_lanes_load(m->launch->lanes, dtype);
    tg_view mask = mask_view(w);
    unsigned char *to = tg_operand_at(m, value);
    const void *fetched = m->strips;
    for (int64_t done = 0; done < w->count; done += CHUNK) {
        int64_t n = w->count - done < CHUNK ? w->count - done : CHUNK;
        fetch(w, m->strips, &mask, n);
        if (load)
            load(to + (size_t)done * wide, &fetched, 0, (size_t)n, 0);
        else
            memcpy(to + (size_t)done * wide, fetched, (size_t)n * bytes);
    }
}

void tg_scattered_load(tg_machine *m, const tg_inst *inst)
{
    walker w = walk(m, inst);
    const struct tg_inst_access *load = inst->as.access;
    load_all(&w, &load->value);
    if (w.a->has_mask) tg_apply_mask(m, w.a, &load->value, w.a->has_other ? &w.a->other : NULL);
}

/* ---- store ---- */

/* One carrier to its place in memory. */
static void put_element(const walker *w, const tg_pieces *pieces, const void *carrier)
{
    tg_lanes_fn *store = tg_lanes_store(w->m->launch->lanes, w->a->dtype);
    unsigned char bytes[sizeof(uint64_t)];
    if (store) store(bytes, &carrier, 0, 1, 0);
    write_pieces(pieces, store ? bytes : carrier);
}

static void get_element(const walker *w, const tg_pieces *pieces, void *carrier)
{
    tg_lanes_fn *load = tg_lanes_load(w->m->launch->lanes, w->a->dtype);
    unsigned char bytes[sizeof(uint64_t)];
    const void *from = bytes;
    read_pieces(pieces, load ? bytes : carrier);
    if (load) load(carrier, &from, 0, 1, 0);
}

void tg_scattered_store(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_access *store = inst->as.access;
    walker w = walk(m, inst);
    size_t wide = tg_carrier_bytes[tg_carrier_of(w.a->dtype)];
    tg_view value = tg_operand_view(m, &store->value), mask = mask_view(&w);
    if (store->has_old) {
        load_all(&w, &store->old);
        if (w.a->has_mask) tg_apply_mask(m, w.a, &store->old, &store->value);
        memset(w.index, 0, sizeof w.index);
    }
    for (int64_t i = 0; i < w.count; i++, next_element(&w)) {
        tg_pieces pieces;
        if (is_masked_off(&w, &mask) || !locate(&w, &pieces)) continue;
        touched_element(&w, TG_TOUCH_INTENT, &pieces);
        put_element(&w, &pieces,
                    (const unsigned char *)value.data + view_offset(&w, &value) * (int64_t)wide);
        touched_element(&w, TG_TOUCH_WRITE, &pieces);
    }
}

/* ---- atomics ---- */

static bool is_equal(const walker *w, const void *a, const void *b)
{
    tg_lane_op eq = tg_lanes_op(w->m->launch->lanes, TG_OP_eq, w->a->dtype, w->a->dtype);
    const void *src[] = {a, b};
    uint8_t result = 0;
    eq.compute(&result, src, 0, 1, 0);
    return result != 0;
}

/* What the element becomes; `out` has room for a carrier. */
static void combine(const walker *w, const struct tg_inst_access *atomic, const void *old,
                    const void *value, void *out)
{
    size_t wide = tg_carrier_bytes[tg_carrier_of(w->a->dtype)];
    const void *src[] = {old, value};
    if (w->inst->op == TG_OP_atomic_cas) {
        memcpy(out, is_equal(w, old, value) ? tg_operand_at(w->m, &atomic->second) : old, wide);
        return;
    }
    if (tg_atomic_op(atomic->kind) == TG_OP_COUNT) {
        memcpy(out, value, wide);
        return;
    }
    tg_lane_op op =
        tg_lanes_op(w->m->launch->lanes, tg_atomic_op(atomic->kind), w->a->dtype, w->a->dtype);
    op.compute(out, src, 0, 1, 0);
    const void *again = out;
    if (op.finish) op.finish(out, &again, 0, 1, 0);
}

void tg_access_atomic(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_access *atomic = inst->as.access;
    walker w = walk(m, inst);
    size_t wide = tg_carrier_bytes[tg_carrier_of(w.a->dtype)];
    tg_view value = tg_operand_view(m, &atomic->value), mask = mask_view(&w);
    unsigned char *result = atomic->has_old ? tg_operand_at(m, &atomic->old) : NULL;
    pthread_mutex_lock(&m->launch->atomics);
    for (int64_t i = 0; i < w.count; i++, next_element(&w)) {
        uint64_t old, new_value;
        tg_pieces pieces;
        tg_launch_fill(m->launch, &old, w.a->dtype, 1);
        if (!is_masked_off(&w, &mask) && locate(&w, &pieces)) {
            touched_element(&w, TG_TOUCH_ATOMIC, &pieces);
            get_element(&w, &pieces, &old);
            combine(&w, atomic, &old,
                    (const unsigned char *)value.data + view_offset(&w, &value) * (int64_t)wide,
                    &new_value);
            put_element(&w, &pieces, &new_value);
        }
        if (result) memcpy(result + (size_t)i * wide, &old, wide);
    }
    pthread_mutex_unlock(&m->launch->atomics);
}
