#include "interp/sync/async_side.h"

#include <stdlib.h>

#include "interp/state/index_walk.h"

/* The ref as a box; a scalar is a box of one dimension. */
static tg_ref box_of(const tg_ref *ref, int rank)
{
    tg_ref box = *ref;
    if (rank > 0) return box;
    box.shape[0] = box.stride[0] = 1;
    box.low[0] = 0;
    box.high[0] = !ref->is_nothing;
    return box;
}

/* ---- places ---- */

static bool is_there(const tg_async_side *side, const int64_t *index)
{
    for (int d = 0; d < side->rank; d++)
        if (index[d] < side->ref.low[d] || index[d] >= side->ref.high[d]) return false;
    return true;
}

static int64_t offset_of(const tg_async_side *side, const int64_t *index)
{
    int64_t offset = side->ref.origin;
    for (int d = 0; d < side->rank; d++) offset += index[d] * side->ref.stride[d];
    return offset;
}

static void find_places(tg_async_side *side, const tg_machine *m, tg_dtype dtype)
{
    tg_index_walk walk;
    unsigned char **place = side->places;
    if (!tg_index_begin(&walk, side->rank, side->ref.shape)) return;
    do {
        tg_pieces pieces;
        const bool is_found =
            is_there(side, walk.at) &&
            tg_ref_pieces(m, &side->ref, dtype, offset_of(side, walk.at), &pieces);
        for (int i = 0; i < side->pieces; i++) *place++ = is_found ? pieces.at[i] : NULL;
    } while (tg_index_next(&walk));
}

static int by_address(const void *a, const void *b)
{
    const tg_async_run *left = a, *right = b;
    return (left->first > right->first) - (left->first < right->first);
}

/* Sorts the places, and joins those that follow each other. */
static void find_runs(tg_async_side *side, size_t count)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (side->places[i])
            side->runs[used++] = (tg_async_run){side->places[i], (int64_t)side->piece_bytes};
    qsort(side->runs, used, sizeof *side->runs, by_address);
    for (size_t i = 0; i < used; i++) {
        tg_async_run *last = &side->runs[side->run_count - (side->run_count > 0)];
        const bool follows = side->run_count && side->runs[i].first <= last->first + last->bytes;
        if (!follows)
            side->runs[side->run_count++] = side->runs[i];
        else if (side->runs[i].first == last->first + last->bytes)
            last->bytes += side->runs[i].bytes;
    }
}

static void set_ends(tg_async_side *side)
{
    const tg_async_run *last = &side->runs[side->run_count - (side->run_count > 0)];
    side->first = side->places ? side->runs[0].first : side->extent.first;
    side->end = side->first;
    if (side->run_count)
        side->end = last->first + last->bytes;
    else if (!side->places && side->extent.rank)
        side->end = side->first + tg_extent_span(&side->extent);
}

tg_async_side tg_async_side_of(const tg_extent *extent)
{
    tg_async_side side = {.extent = *extent};
    set_ends(&side);
    return side;
}

bool tg_async_side_init(tg_async_side *side, const tg_machine *m, const tg_ref *ref,
                        const tg_type *type)
{
    const int rank = type->rank;
    *side = (tg_async_side){.ref = box_of(ref, rank),
                            .rank = rank ? rank : 1,
                            .bytes = tg_dtypes[type->dtype].bytes,
                            .pieces = 1};
    side->piece_bytes = side->bytes;
    if (!ref->recast) {
        side->extent = tg_ref_extent(&side->ref, side->rank, side->bytes);
        set_ends(side);
        return true;
    }
    size_t count = 1;
    for (int d = 0; d < side->rank; d++) count *= (size_t)side->ref.shape[d];
    side->piece_bytes = tg_ref_piece_bytes(m, ref, type->dtype);
    side->pieces = (int)(side->bytes / side->piece_bytes);
    count *= (size_t)side->pieces;
    side->places = calloc(count + 1, sizeof *side->places);
    side->runs = calloc(count + 1, sizeof *side->runs);
    if (!side->places || !side->runs) return false;
    find_places(side, m, type->dtype);
    find_runs(side, count);
    set_ends(side);
    return true;
}

void tg_async_side_free(tg_async_side *side)
{
    free(side->places);
    free(side->runs);
}

bool tg_async_side_find(const tg_async_side *side, const int64_t *index, tg_pieces *pieces)
{
    if (!is_there(side, index)) return false;
    pieces->count = side->pieces;
    pieces->piece_bytes = side->piece_bytes;
    pieces->at[0] = side->ref.data + offset_of(side, index) * (int64_t)side->bytes;
    if (!side->places) return true;
    int64_t number = 0;
    for (int d = 0; d < side->rank; d++) number = number * side->ref.shape[d] + index[d];
    for (int i = 0; i < side->pieces; i++) pieces->at[i] = side->places[number * side->pieces + i];
    return pieces->at[0] != NULL;
}

/* ---- bytes ---- */

void tg_async_side_runs(const tg_async_side *side,
                        void (*visit)(void *context, const unsigned char *first, int64_t bytes),
                        void *context)
{
    const tg_extent *extent = &side->extent;
    tg_index_walk row;
    for (uint32_t i = 0; i < side->run_count; i++)
        visit(context, side->runs[i].first, side->runs[i].bytes);
    if (side->places || !extent->rank) return;
    if (!tg_index_begin(&row, extent->rank - 1, extent->count)) return;
    do
        visit(context, extent->first + tg_index_offset(&row, extent->stride),
              extent->count[extent->rank - 1]);
    while (tg_index_next(&row));
}

/* ---- bytes in common ---- */

static tg_extent extent_of(const tg_async_run *run)
{
    return (tg_extent){.first = run->first, .rank = 1, .count = {run->bytes}, .stride = {1}};
}

const unsigned char *tg_async_side_meets(const tg_async_side *side, const tg_extent *extent)
{
    const unsigned char *met = NULL;
    if (!side->places) return tg_extents_meet(extent, &side->extent);
    for (uint32_t i = 0; i < side->run_count && !met; i++) {
        const tg_extent run = extent_of(&side->runs[i]);
        met = tg_extents_meet(extent, &run);
    }
    return met;
}

const unsigned char *tg_async_sides_met(const tg_async_side *a, const tg_async_side *b)
{
    const unsigned char *met = NULL;
    if (!a->places) return tg_async_side_meets(b, &a->extent);
    for (uint32_t i = 0; i < a->run_count && !met; i++) {
        const tg_extent run = extent_of(&a->runs[i]);
        met = tg_async_side_meets(b, &run);
    }
    return met;
}
