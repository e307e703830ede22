#include "interp/memory/elements.h"

#include <string.h>

#include "interp/memory/box.h"
#include "interp/state/operand.h"

/* The number of indices from the first to the last of a slice, both included. */
static int64_t slice_span(const tg_access_dim *dim)
{
    int64_t span;
    if (__builtin_mul_overflow(dim->size - 1, dim->stride, &span) || span == INT64_MAX)
        return INT64_MAX;
    return span + 1;
}

tg_elements tg_elements_begin(tg_machine *m, const tg_inst *inst)
{
    const tg_access_plan *a = &inst->as.access->access;
    tg_elements w = {.m = m, .inst = inst, .a = a, .ref = &m->refs[a->ref]};
    w.count = tg_type_count(&a->result);
    w.has_list = tg_ref_list(m, w.ref, &w.list);
    tg_index_begin(&w.index, a->result.rank, a->result.shape);
    const tg_setting *setting = &m->launch->setting;
    const bool is_box = !a->has_arrays && !a->is_even;
    w.clamps = tg_setting_clamps(setting);
    w.has_room_behind = is_box && a->has_mask && tg_setting_pads_masked(setting);
    w.is_dropped =
        a->has_mask && inst->kind != TG_I_LOAD && tg_setting_drops_masked_writes(setting);
    for (int d = 0; d < a->rank; d++) {
        const tg_access_dim *dim = &a->dims[d];
        tg_element_source *s = &w.dims[d];
        const bool is_at = dim->kind == TG_INDEX_AT;
        s->is_array = is_at && a->has_arrays;
        s->result_dim = is_at ? 0 : dim->result_dim;
        s->stride = is_at ? 0 : dim->stride;
        s->start = dim->start;
        if (s->is_array)
            s->positions = tg_operand_view(m, &dim->operand);
        else if (dim->has_operand)
            s->start = tg_operand_int(m, &dim->operand);
        if (w.clamps && is_box && !is_at)
            s->start = tg_clamp_slice(s->start, slice_span(dim), w.ref->shape[d], a->has_mask);
    }
    return w;
}

void tg_elements_next(tg_elements *w) { tg_index_next(&w->index); }

static int64_t position(const tg_elements *w, const tg_element_source *s)
{
    if (!s->is_array) {
        int64_t at;
        if (__builtin_mul_overflow(w->index.at[s->result_dim], s->stride, &at) ||
            __builtin_add_overflow(at, s->start, &at))
            return INT64_MAX;
        return at;
    }
    int64_t offset = 0;
    for (int d = 0; d < s->positions.rank; d++)
        offset += w->index.at[w->a->position_first + d] * s->positions.stride[d];
    return ((const int64_t *)s->positions.data)[offset];
}

/* The index to which JAX moves index `at` of a ref with `extent` of them. */
static int64_t moved(const tg_elements *w, int64_t at, int64_t extent)
{
    if (w->has_room_behind) return tg_clamp_slice(at, 1, extent, true);
    if (at < 0) at += extent;
    if (w->is_dropped) return at;
    return at < 0 ? 0 : at >= extent ? extent - 1 : at;
}

/* Finds the element at this offset of the ref.  Returns false if it does not exist. */
static bool find_pieces(const tg_elements *w, int64_t offset, tg_pieces *pieces)
{
    if (w->ref->recast && !w->has_list)
        return tg_ref_pieces(w->m, w->ref, w->a->dtype, offset, pieces);
    pieces->piece_bytes = tg_dtypes[w->a->dtype].bytes;
    pieces->count = 1;
    const int64_t bytes = (int64_t)pieces->piece_bytes;
    pieces->at[0] = w->has_list ? w->list.data + tg_list_number(&w->list, offset) * bytes
                                : w->ref->data + offset * bytes;
    return true;
}

bool tg_elements_locate(tg_elements *w, tg_pieces *pieces)
{
    bool is_inside = !w->ref->is_nothing;
    int64_t offset = w->ref->origin;
    for (int d = 0; d < w->a->rank; d++) {
        int64_t at = position(w, &w->dims[d]);
        if (w->clamps) at = moved(w, at, w->ref->shape[d]);
        if (at < 0 || at >= w->ref->shape[d]) {
            if (!w->has_reported && !w->clamps) tg_report_access(w->m, w->inst, w->a, d, at);
            w->has_reported = true;
            return false;
        }
        if (at < w->ref->low[d] || at >= w->ref->high[d]) is_inside = false;
        offset += at * w->ref->stride[d];
    }
    return is_inside && find_pieces(w, offset, pieces);
}

int64_t tg_elements_offset(const tg_elements *w, const tg_view *view)
{
    return tg_index_offset(&w->index, view->stride);
}

bool tg_elements_is_off(const tg_elements *w, const tg_view *mask)
{
    return mask->data && !((const uint8_t *)mask->data)[tg_elements_offset(w, mask)];
}

tg_view tg_elements_mask(const tg_elements *w)
{
    return w->a->has_mask ? tg_operand_view(w->m, &w->a->mask) : (tg_view){0};
}

void tg_elements_read(const tg_pieces *pieces, unsigned char *to)
{
    for (int i = 0; i < pieces->count; i++)
        memcpy(to + (size_t)i * pieces->piece_bytes, pieces->at[i], pieces->piece_bytes);
}

void tg_elements_write(const tg_pieces *pieces, const unsigned char *from)
{
    for (int i = 0; i < pieces->count; i++)
        memcpy(pieces->at[i], from + (size_t)i * pieces->piece_bytes, pieces->piece_bytes);
}

void tg_elements_get(const tg_elements *w, const tg_pieces *pieces, void *carrier)
{
    tg_elementwise_fn *load = tg_elementwise_load(w->m->launch->elementwise, w->a->dtype);
    unsigned char bytes[sizeof(uint64_t)];
    const void *from = bytes;
    tg_elements_read(pieces, load ? bytes : carrier);
    if (load) load(carrier, &from, 0, 1, 0);
}

void tg_access_elements(tg_machine *m, const tg_inst *inst,
                        void (*visit)(void *context, const tg_pieces *pieces), void *context)
{
    tg_elements w = tg_elements_begin(m, inst);
    tg_view mask = tg_elements_mask(&w);
    w.has_reported = true; /* the access itself reports it */
    for (int64_t i = 0; i < w.count; i++, tg_elements_next(&w)) {
        tg_pieces pieces;
        if (!tg_elements_is_off(&w, &mask) && tg_elements_locate(&w, &pieces))
            visit(context, &pieces);
    }
}
