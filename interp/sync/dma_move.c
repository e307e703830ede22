#include "interp/sync/dma_move.h"

#include <stdlib.h>

#include "interp/blocks/copy.h"
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
    for (int d = 0; d < dma->rank; d++) {
        const int64_t *low = &dma->to.low[d], *high = &dma->to.high[d];
        int64_t from_low = dma->from.low[d], from_high = dma->from.high[d];
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
    tg_view view = {.rank = dma->rank};
    view.data = dma->from.data + place_of(&dma->from, dma->rank, c->low, bytes);
    for (int d = 0; d < dma->rank; d++) {
        view.shape[d] = c->shape[d];
        view.stride[d] = dma->from.stride[d];
    }
    return view;
}

/* Copies by way of a temporary block, undefined at first: the sides overlap, or the source lacks
 * elements. */
static bool move_by_way(tg_machine *m, const tg_dma *dma, const common *c, tg_dtype dtype)
{
    const size_t bytes = tg_dtypes[dtype].bytes;
    int64_t shape[TG_MAX_RANK] = {0}, stride[TG_MAX_RANK] = {0}, count = 1, offset = 0;
    for (int d = 0; d < dma->rank; d++) count *= shape[d] = dma->to.high[d] - dma->to.low[d];
    tg_dense_strides(dma->rank, shape, stride);
    unsigned char *block = malloc((size_t)count * bytes);
    if (!block) return false;
    tg_launch_fill_memory(m->launch, block, dtype, (size_t)count);
    for (int d = 0; d < dma->rank; d++) offset += (c->low[d] - dma->to.low[d]) * stride[d];
    if (!c->is_empty) {
        tg_view from = source_view(dma, c, bytes);
        tg_copy_view(block + offset * (int64_t)bytes, stride, &from, bytes);
    }
    tg_view from = {.data = block, .rank = dma->rank};
    for (int d = 0; d < dma->rank; d++) {
        from.shape[d] = shape[d];
        from.stride[d] = stride[d];
    }
    tg_copy_view(dma->to.data + place_of(&dma->to, dma->rank, dma->to.low, bytes), dma->to.stride,
                 &from, bytes);
    free(block);
    return true;
}

bool tg_dma_move(tg_machine *m, const tg_dma *dma)
{
    const tg_dtype dtype = dma->inst->as.dma->type.dtype;
    const size_t bytes = tg_dtypes[dtype].bytes;
    const common c = common_of(dma);
    if (!dma->writes.rank) return true;
    if (!c.is_all || tg_extents_meet(&dma->reads, &dma->writes))
        return move_by_way(m, dma, &c, dtype);
    tg_view from = source_view(dma, &c, bytes);
    tg_copy_view(dma->to.data + place_of(&dma->to, dma->rank, c.low, bytes), dma->to.stride, &from,
                 bytes);
    return true;
}
