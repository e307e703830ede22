#include "interp/sync/dma_move.h"

#include <stdlib.h>

#include "interp/blocks/copy.h"
#include "interp/memory/elements.h"
#include "interp/sync/dma_state.h"
#include "interp/state/fill.h"

/* The elements that are inside the array on both sides, as a box. */
typedef struct common {
    int64_t low[TG_MAX_RANK], shape[TG_MAX_RANK];
    bool is_empty, is_all; /* is_all: all elements of the destination inside its array */
} common;

static common common_of(const tg_dma *dma)
{
    common c = {.is_all = true};
    for (int d = 0; d < dma->to.rank; d++) {
        const int64_t *low = &dma->to.ref.low[d], *high = &dma->to.ref.high[d];
        int64_t from_low = dma->from.ref.low[d], from_high = dma->from.ref.high[d];
        if (from_low > *low || from_high < *high) c.is_all = false;
        c.low[d] = from_low > *low ? from_low : *low;
        c.shape[d] = (from_high < *high ? from_high : *high) - c.low[d];
        if (c.shape[d] <= 0) c.is_empty = true;
    }
    return c;
}

/* Offset in bytes of the element at `index` from the start of the buffer. */
static int64_t place_of(const tg_ref *ref, int rank, const int64_t *index, size_t bytes)
{
    int64_t offset = ref->origin;
    for (int d = 0; d < rank; d++) offset += index[d] * ref->stride[d];
    return offset * (int64_t)bytes;
}

static tg_view source_view(const tg_dma *dma, const common *c, size_t bytes)
{
    tg_view view = {.rank = dma->to.rank};
    view.data = dma->from.ref.data + place_of(&dma->from.ref, dma->to.rank, c->low, bytes);
    for (int d = 0; d < dma->to.rank; d++) {
        view.shape[d] = c->shape[d];
        view.stride[d] = dma->from.ref.stride[d];
    }
    return view;
}

/* Copies by way of a temporary block, undefined at first: the sides overlap, or the source lacks
 * elements. */
static bool move_by_way(tg_machine *m, const tg_dma *dma, const common *c, tg_dtype dtype)
{
    const size_t bytes = tg_dtypes[dtype].bytes;
    int64_t shape[TG_MAX_RANK] = {0}, stride[TG_MAX_RANK] = {0}, count = 1, offset = 0;
    for (int d = 0; d < dma->to.rank; d++)
        count *= shape[d] = dma->to.ref.high[d] - dma->to.ref.low[d];
    tg_dense_strides(dma->to.rank, shape, stride);
    unsigned char *block = malloc((size_t)count * bytes);
    if (!block) return false;
    tg_launch_fill_memory(m->launch, block, dtype, (size_t)count);
    for (int d = 0; d < dma->to.rank; d++) offset += (c->low[d] - dma->to.ref.low[d]) * stride[d];
    if (!c->is_empty) {
        tg_view from = source_view(dma, c, bytes);
        tg_copy_view(block + offset * (int64_t)bytes, stride, &from, bytes);
    }
    tg_view from = {.data = block, .rank = dma->to.rank};
    for (int d = 0; d < dma->to.rank; d++) {
        from.shape[d] = shape[d];
        from.stride[d] = stride[d];
    }
    tg_copy_view(dma->to.ref.data + place_of(&dma->to.ref, dma->to.rank, dma->to.ref.low, bytes),
                 dma->to.ref.stride, &from, bytes);
    free(block);
    return true;
}

/* ---- sides without strides ---- */

/* Reads or writes a dense block of the destination's elements, one by one; those that the side lacks
 * are left out. */
static void move_elements(const tg_dma_side *side, const int64_t *shape, unsigned char *block,
                          bool reads)
{
    tg_index_walk walk;
    tg_pieces pieces;
    if (!tg_index_begin(&walk, side->rank, shape)) return;
    do {
        const bool is_there = tg_dma_side_find(side, walk.at, &pieces);
        if (is_there && reads) tg_elements_read(&pieces, block);
        if (is_there && !reads) tg_elements_write(&pieces, block);
        block += side->bytes;
    } while (tg_index_next(&walk));
}

static bool move_one_by_one(tg_machine *m, const tg_dma *dma, tg_dtype dtype)
{
    const int64_t *shape = dma->to.ref.shape;
    size_t count = 1;
    for (int d = 0; d < dma->to.rank; d++) count *= (size_t)shape[d];
    unsigned char *block = malloc(count * dma->to.bytes + 1);
    if (!block) return false;
    tg_launch_fill_memory(m->launch, block, dtype, count);
    move_elements(&dma->from, shape, block, true);
    move_elements(&dma->to, shape, block, false);
    free(block);
    return true;
}

bool tg_dma_move(tg_machine *m, const tg_dma *dma)
{
    const tg_dtype dtype = dma->inst->as.dma->type.dtype;
    const size_t bytes = tg_dtypes[dtype].bytes;
    const common c = common_of(dma);
    if (dma->from.places || dma->to.places) return move_one_by_one(m, dma, dtype);
    if (!dma->to.extent.rank) return true;
    if (!c.is_all || tg_dma_sides_meet(&dma->from, &dma->to)) return move_by_way(m, dma, &c, dtype);
    tg_view from = source_view(dma, &c, bytes);
    tg_copy_view(dma->to.ref.data + place_of(&dma->to.ref, dma->to.rank, c.low, bytes),
                 dma->to.ref.stride, &from, bytes);
    return true;
}
