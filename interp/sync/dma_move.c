#include "interp/sync/dma_move.h"

#include <stdlib.h>
#include <string.h>

#include "interp/blocks/copy.h"
#include "interp/memory/elements.h"
#include "interp/sync/async_op.h"
#include "interp/state/fill.h"

/* The elements that are inside the array on both sides, as a box. */
typedef struct common {
    int64_t low[TG_MAX_RANK], shape[TG_MAX_RANK];
    bool is_empty, is_all; /* is_all: all elements of the destination inside its array */
} common;

static common common_of(const tg_async_op *dma)
{
    common c = {.is_all = true};
    for (int d = 0; d < dma->to.rank; d++) {
        const int64_t *low = &dma->to.ref.low[d], *high = &dma->to.ref.high[d];
        int64_t from_low = dma->source[0].ref.low[d], from_high = dma->source[0].ref.high[d];
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

static tg_view source_view(const tg_async_op *dma, const common *c, size_t bytes)
{
    tg_view view = {.rank = dma->to.rank};
    view.data =
        dma->source[0].ref.data + place_of(&dma->source[0].ref, dma->to.rank, c->low, bytes);
    for (int d = 0; d < dma->to.rank; d++) {
        view.shape[d] = c->shape[d];
        view.stride[d] = dma->source[0].ref.stride[d];
    }
    return view;
}

/* ---- elements one by one, of a side without strides ---- */

/* Reads or writes a dense block of the destination's elements; those that the side lacks are left
 * out. */
static void move_elements(const tg_async_side *side, const int64_t *shape, unsigned char *block,
                          bool reads)
{
    tg_index_walk walk;
    tg_pieces pieces;
    if (!tg_index_begin(&walk, side->rank, shape)) return;
    do {
        const bool is_there = tg_async_side_find(side, walk.at, &pieces);
        if (is_there && reads) tg_elements_read(&pieces, block);
        if (is_there && !reads) tg_elements_write(&pieces, block);
        block += side->bytes;
    } while (tg_index_next(&walk));
}

static bool has_no_strides(const tg_async_op *dma)
{
    return dma->source[0].places || dma->to.places;
}

/* ---- by way of a block ---- */

/* The block that holds what was read: all elements of the destination or, where both sides have
 * strides, those inside its array. */
static tg_view held_view(const tg_async_op *dma)
{
    tg_view view = {.data = dma->held, .rank = dma->to.rank};
    for (int d = 0; d < view.rank; d++)
        view.shape[d] =
            has_no_strides(dma) ? dma->to.ref.shape[d] : dma->to.ref.high[d] - dma->to.ref.low[d];
    tg_dense_strides(view.rank, view.shape, view.stride);
    return view;
}

static size_t count_of(const tg_view *view)
{
    size_t count = 1;
    for (int d = 0; d < view->rank; d++) count *= view->shape[d] > 0 ? (size_t)view->shape[d] : 0;
    return count;
}

bool tg_dma_read(tg_machine *m, tg_async_op *dma)
{
    const struct tg_inst_async *plan = dma->inst->as.async;
    const size_t bytes = dma->to.bytes;
    const common c = common_of(dma);
    const tg_view held = held_view(dma);
    const size_t count = count_of(&held);
    dma->held = calloc(count * bytes + 1, 1);
    if (!dma->held) return false;
    if (!plan->zero_outside)
        tg_launch_fill_memory(m->launch, dma->held, plan->to.type.dtype, count);
    if (has_no_strides(dma)) {
        move_elements(&dma->source[0], held.shape, dma->held, true);
    } else if (count && !c.is_empty) {
        int64_t offset = 0;
        for (int d = 0; d < held.rank; d++)
            offset += (c.low[d] - dma->to.ref.low[d]) * held.stride[d];
        const tg_view from = source_view(dma, &c, bytes);
        tg_copy_view(dma->held + offset * (int64_t)bytes, held.stride, &from, bytes);
    }
    return true;
}

/* ---- combining ---- */

/* Reads an element in memory representation as its carrier. */
static void widen(const tg_machine *m, tg_dtype dtype, const void *element, uint64_t *carrier)
{
    tg_elementwise_fn *load = tg_elementwise_load(m->launch->elementwise, dtype);
    if (load)
        load(carrier, &element, 0, 1, 0);
    else
        memcpy(carrier, element, tg_dtypes[dtype].bytes);
}

/* Combines an element of the destination with a new one. */
static void combine_one(const tg_machine *m, const struct tg_inst_async *plan,
                        const tg_pieces *pieces, const unsigned char *element)
{
    const tg_dtype dtype = plan->to.type.dtype;
    const tg_elementwise_call op =
        tg_elementwise_op(m->launch->elementwise, plan->combine, dtype, dtype);
    tg_elementwise_fn *store = tg_elementwise_store(m->launch->elementwise, dtype);
    unsigned char old[sizeof(uint64_t)];
    uint64_t a, b, result;
    const void *src[] = {&a, &b}, *whole = &result;
    tg_elements_read(pieces, old);
    widen(m, dtype, old, &a);
    widen(m, dtype, element, &b);
    op.compute(&result, src, 0, 1, 0);
    if (op.finish) op.finish(&result, &whole, 0, 1, 0);
    if (store) store(old, &whole, 0, 1, 0);
    tg_elements_write(pieces, store ? (const void *)old : whole);
}

/* Combines all elements of the destination inside its array with those that were read. */
static void combine(tg_machine *m, const tg_async_op *dma, const tg_view *held)
{
    tg_index_walk walk;
    tg_pieces pieces;
    const unsigned char *element = held->data;
    if (!tg_index_begin(&walk, held->rank, held->shape)) return;
    pthread_mutex_lock(&m->launch->atomics);
    do {
        int64_t index[TG_MAX_RANK];
        for (int d = 0; d < held->rank; d++)
            index[d] = walk.at[d] + (has_no_strides(dma) ? 0 : dma->to.ref.low[d]);
        if (tg_async_side_find(&dma->to, index, &pieces))
            combine_one(m, dma->inst->as.async, &pieces, element);
        element += dma->to.bytes;
    } while (tg_index_next(&walk));
    pthread_mutex_unlock(&m->launch->atomics);
}

void tg_dma_write(tg_machine *m, tg_async_op *dma)
{
    if (!dma->held) return;
    const tg_view held = held_view(dma);
    const size_t bytes = dma->to.bytes;
    if (dma->inst->as.async->combines)
        combine(m, dma, &held);
    else if (has_no_strides(dma))
        move_elements(&dma->to, held.shape, dma->held, false);
    else if (count_of(&held))
        tg_copy_view(dma->to.ref.data +
                         place_of(&dma->to.ref, dma->to.rank, dma->to.ref.low, bytes),
                     dma->to.ref.stride, &held, bytes);
    free(dma->held);
    dma->held = NULL;
}

bool tg_dma_move(tg_machine *m, tg_async_op *dma)
{
    const common c = common_of(dma);
    const size_t bytes = dma->to.bytes;
    if (dma->inst->as.async->combines || has_no_strides(dma) || !c.is_all ||
        tg_async_sides_meet(&dma->source[0], &dma->to)) {
        if (!tg_dma_read(m, dma)) return false;
        tg_dma_write(m, dma);
        return true;
    }
    if (!dma->to.extent.rank) return true;
    const tg_view from = source_view(dma, &c, bytes);
    tg_copy_view(dma->to.ref.data + place_of(&dma->to.ref, dma->to.rank, c.low, bytes),
                 dma->to.ref.stride, &from, bytes);
    return true;
}
