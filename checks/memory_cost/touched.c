#include "checks/memory_cost/touched.h"

/* ---- rows ---- */

enum { FAR_AWAY = 60 }; /* starts beyond 2^60 could overflow below */

/* The first element of a row, of `length`, whose index in the ref is at least `bound`. */
static int64_t first_from(const tg_element_source *s, int64_t bound, int64_t length)
{
    if (s->start >= bound) return 0;
    const int64_t first = (bound - s->start + s->stride - 1) / s->stride;
    return first < length ? first : length;
}

/* The dimension of the ref that the last one of the value walks along evenly; -1: none. */
static int even_dim(const tg_elements *w)
{
    const int last = w->a->result.rank - 1;
    if (w->ref->recast || w->clamps || last < 0) return -1;
    for (int d = 0; d < w->a->rank; d++) {
        const tg_element_source *s = &w->dims[d];
        if (w->a->dims[d].kind == TG_INDEX_AT || s->result_dim != last) continue;
        return s->start >> FAR_AWAY == 0 || s->start >> FAR_AWAY == -1 ? d : -1;
    }
    return -1;
}

static tg_touched_row row_of(const tg_elements *w, int piece_bytes)
{
    tg_touched_row row = {.dim = even_dim(w)};
    if (row.dim < 0) return row;
    const tg_element_source *s = &w->dims[row.dim];
    row.length = w->a->result.shape[w->a->result.rank - 1];
    row.low = first_from(s, w->ref->low[row.dim], row.length);
    row.high = first_from(s, w->ref->high[row.dim], row.length);
    row.step = s->stride * w->ref->stride[row.dim] * piece_bytes;
    return row;
}

/* At the beginning of a row: finds its first element inside the array. */
static void begin_row(tg_touched *t)
{
    tg_pieces found;
    tg_touched_row *row = &t->row;
    const int last = t->walk.a->result.rank - 1;
    row->mask = t->mask.data
                    ? (const uint8_t *)t->mask.data + tg_elements_offset(&t->walk, &t->mask)
                    : NULL;
    t->walk.index.at[last] = row->low;
    row->is_there = row->low < row->high && tg_elements_locate(&t->walk, &found);
    if (row->is_there) row->byte = found.at[0] - t->walk.ref->data;
    t->walk.index.at[last] = row->length - 1; /* from where the walk goes on to the next row */
}

static int64_t take_of_row(tg_touched *t)
{
    tg_touched_row *row = &t->row;
    if (row->at == 0) begin_row(t);
    const int64_t at = row->at++;
    if (row->at == row->length) {
        tg_elements_next(&t->walk);
        row->at = 0;
    }
    const int last = t->walk.a->result.rank - 1;
    if (!row->is_there || at < row->low || at >= row->high) return -1;
    if (row->mask && !row->mask[at * t->mask.stride[last]]) return -1;
    return tg_cost_memory_byte(t->memory, t->block, row->byte + (at - row->low) * row->step);
}

/* ---- elements ---- */

tg_touched tg_touched_begin(tg_machine *m, const tg_inst *inst, const tg_cost_memory *memory)
{
    tg_touched t = {.walk = tg_elements_begin(m, inst), .memory = memory};
    const tg_dtype dtype = t.walk.a->dtype;
    t.mask = tg_elements_mask(&t.walk);
    t.walk.has_reported = true; /* the access itself reports elements outside */
    t.left = t.walk.count;
    if (memory->block_of != UINT32_MAX) t.block = &m->refs[memory->block_of];
    t.piece_bytes = (int)tg_ref_piece_bytes(m, t.walk.ref, dtype);
    t.pieces = tg_dtypes[dtype].bytes / t.piece_bytes;
    t.row = row_of(&t.walk, t.piece_bytes);
    return t;
}

static void take_one(tg_touched *t, int64_t *bytes)
{
    tg_pieces found;
    const bool is_touched =
        !tg_elements_is_off(&t->walk, &t->mask) && tg_elements_locate(&t->walk, &found);
    for (int i = 0; i < t->pieces; i++)
        bytes[i] = is_touched
                       ? tg_cost_memory_byte(t->memory, t->block, found.at[i] - t->walk.ref->data)
                       : -1;
    tg_elements_next(&t->walk);
}

void tg_touched_take(tg_touched *t, int64_t elements, int64_t *bytes)
{
    const int64_t count = elements < t->left ? elements : t->left;
    for (int64_t i = 0; i < count; i++) {
        if (t->row.dim >= 0)
            bytes[i] = take_of_row(t);
        else
            take_one(t, bytes + i * t->pieces);
    }
    for (int64_t i = count * t->pieces; i < elements * t->pieces; i++) bytes[i] = -1;
    t->left -= count;
}
