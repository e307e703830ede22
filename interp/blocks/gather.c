/* XLA's gather: copies slices of the operand to their positions in the result. */
#include "interp/blocks/gather.h"

#include <string.h>

#include "interp/blocks/chunks.h"
#include "interp/blocks/copy.h"
#include "interp/blocks/slices.h"

/* Returns whether the elements of a slice are contiguous, in the operand and in the list. */
static bool is_together(const tg_slices *s)
{
    int64_t count = 1;
    for (int d = s->rank - 1; d >= 0; d--) {
        if (s->shape[d] == 1) continue;
        if (s->in_operand[d] != count || s->in_list[d] != count) return false;
        count *= s->shape[d];
    }
    return true;
}

static void move_slice(const tg_slices *s, char *to, const char *from, bool repeats, size_t bytes)
{
    tg_view slice = {.data = from, .rank = s->rank};
    memcpy(slice.shape, s->shape, sizeof slice.shape);
    if (!repeats) memcpy(slice.stride, s->in_operand, sizeof slice.stride);
    tg_copy_view(to, s->in_list, &slice, bytes);
}

/* ---- single elements along one dimension: rows of the indices in one loop ---- */

/* The start of each element is clamped to `last`, or, with a fill value, checked against it. */
#define ELEMENTS(bits)                                                                             \
    static void gather_##bits(uint##bits##_t *to, int64_t to_step, const uint##bits##_t *from,     \
                              int64_t step, const int32_t *index, int64_t index_step,              \
                              int64_t count, int64_t last, const uint##bits##_t *fill)             \
    {                                                                                              \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const int64_t start = index[i * index_step];                                           \
            const int64_t low = start < 0 ? 0 : start, inside = low > last ? last : low;           \
            const uint##bits##_t value = from[inside * step];                                      \
            to[i * to_step] = fill != NULL && inside != start ? *fill : value;                     \
        }                                                                                          \
    }
ELEMENTS(8)
ELEMENTS(16)
ELEMENTS(32)
ELEMENTS(64)

/* Returns whether slices are single elements chosen along one dimension, in rows. */
static bool picks_elements(const tg_slices *s)
{
    return s->slice_count == 1 && s->g->index_size == 1 && s->batch_rank > 0 &&
           s->operand->shape[s->g->start_index_map[0]] > 0;
}

/* Gathers one row of the indices; batch dimensions of the operand that run along it add to the
 * step. */
static void gather_row(const tg_slices *s, const void *data, size_t bytes, const void *fill,
                       void *out)
{
    const int row = s->batch_rank - 1, d = s->g->start_index_map[0];
    const int64_t count = s->indices->shape[row], to_step = s->batch[row];
    const int64_t step = s->operand->stride[d], last = s->operand->shape[d] - 1;
    const int64_t index_step = s->indices->stride[row];
    switch (bytes) {
#define CASE(n, bits)                                                                              \
    case n: gather_##bits(out, to_step, data, step, s->index, index_step, count, last, fill); break;
        CASE(1, 8)
        CASE(2, 16)
        CASE(4, 32)
    default: gather_64(out, to_step, data, step, s->index, index_step, count, last, fill); break;
#undef CASE
    }
}

static bool runs_along_row(const tg_slices *s)
{
    for (int i = 0; i < s->g->batch_count; i++)
        if (s->g->indices_batch[i] == s->batch_rank - 1) return true;
    return false;
}

/* Goes to the next row of the indices. */
static bool next_row(tg_slices *s)
{
    const int row = s->batch_rank - 1;
    s->batch_rank = row;
    const bool more = tg_slices_next(s);
    s->batch_rank = row + 1;
    return more;
}

static void gather_elements(tg_slices *s, size_t bytes, const void *fill, void *out)
{
    do {
        int64_t offset = 0;
        for (int i = 0; i < s->g->batch_count; i++)
            offset += s->at[s->g->indices_batch[i]] * s->operand->stride[s->g->operand_batch[i]];
        gather_row(s, tg_element_at(s->operand->data, offset, bytes), bytes, fill,
                   (char *)out + s->list_offset * (int64_t)bytes);
    } while (next_row(s));
}

/* Prefetches the beginning of a slice that will be copied soon: hardware cannot predict its
 * position, which depends on its index. */
static void fetch_ahead(const tg_slices *s, size_t bytes)
{
    enum { AHEAD = 8, LINE = 64, MOST = 8 * LINE };
    const int row = s->batch_rank - 1;
    if (s->g->index_size != 1 || s->g->batch_count > 0 || row < 0 ||
        s->at[row] + AHEAD >= s->indices->shape[row])
        return;
    const int d = s->g->start_index_map[0];
    const int64_t start = s->index[AHEAD * s->indices->stride[row]];
    if (start < 0 || start > s->operand->shape[d] - s->g->slice_sizes[d]) return;
    const char *from = tg_element_at(s->operand->data, start * s->operand->stride[d], bytes);
    const int64_t size = s->slice_count * (int64_t)bytes;
    for (int64_t at = 0; at < size && at < MOST; at += LINE) __builtin_prefetch(from + at);
}

void tg_gather(const tg_gather_shape *g, const tg_view *operand, const tg_view *indices,
               const tg_type *result, size_t bytes, const void *fill, void *out)
{
    tg_view list = {.rank = result->rank};
    memcpy(list.shape, result->shape, sizeof list.shape);
    tg_dense_strides(result->rank, result->shape, list.stride);
    tg_slices s = tg_slices_of(g, operand, indices, &list);
    if (s.slice_count == 0 || s.batch_count == 0) return;
    if (picks_elements(&s) && !runs_along_row(&s)) {
        gather_elements(&s, bytes, fill, out);
        return;
    }
    const bool together = is_together(&s);
    do {
        int64_t offset;
        char *to = (char *)out + s.list_offset * (int64_t)bytes;
        fetch_ahead(&s, bytes);
        if (!tg_slices_find(&s, fill == NULL, &offset)) {
            if (fill != NULL) move_slice(&s, to, fill, true, bytes);
        } else if (together) {
            memcpy(to, tg_element_at(operand->data, offset, bytes), (size_t)s.slice_count * bytes);
        } else {
            move_slice(&s, to, tg_element_at(operand->data, offset, bytes), false, bytes);
        }
    } while (tg_slices_next(&s));
}
