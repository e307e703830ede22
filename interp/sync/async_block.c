#include "interp/sync/async_block.h"

#include <stdlib.h>

#include "interp/blocks/copy.h"
#include "interp/memory/elements.h"
#include "interp/state/fill.h"

static size_t carrier_bytes(tg_dtype dtype) { return tg_carrier_bytes[tg_carrier_of(dtype)]; }

/* The part of a dense block of the type that is inside the side's array, with the same part of its
 * memory. */
typedef struct part {
    int64_t offset; /* in the block, in elements */
    int64_t dense[TG_MAX_RANK];
    tg_view memory;
} part;

/* Returns false if nothing is inside. */
static bool find_part(const tg_async_side *side, const tg_type *type, part *out)
{
    const tg_ref *ref = &side->ref;
    int64_t at = ref->origin;
    *out = (part){.memory.rank = side->rank};
    tg_dense_strides(side->rank, type->shape, out->dense);
    for (int d = 0; d < side->rank; d++) {
        out->memory.shape[d] = ref->high[d] - ref->low[d];
        out->memory.stride[d] = ref->stride[d];
        if (out->memory.shape[d] <= 0) return false;
        out->offset += ref->low[d] * out->dense[d];
        at += ref->low[d] * ref->stride[d];
    }
    out->memory.data = ref->data + at * (int64_t)side->bytes;
    return true;
}

/* ---- elements one by one, of a side without strides ---- */

static void move_elements(const tg_async_side *side, const tg_type *type, unsigned char *block,
                          bool reads)
{
    tg_index_walk walk;
    tg_pieces pieces;
    if (!tg_index_begin(&walk, side->rank, type->shape)) return;
    do {
        const bool is_there = tg_async_side_find(side, walk.at, &pieces);
        if (is_there && reads) tg_elements_read(&pieces, block);
        if (is_there && !reads) tg_elements_write(&pieces, block);
        block += side->bytes;
    } while (tg_index_next(&walk));
}

/* ---- as they are in memory ---- */

static void read_memory(const tg_machine *m, const tg_async_side *side, const tg_type *type,
                        unsigned char *block)
{
    part inner;
    tg_launch_fill_memory(m->launch, block, type->dtype, (size_t)tg_type_count(type));
    if (side->places)
        move_elements(side, type, block, true);
    else if (find_part(side, type, &inner))
        tg_copy_view(block + inner.offset * (int64_t)side->bytes, inner.dense, &inner.memory,
                     side->bytes);
}

static void write_memory(const tg_async_side *side, const tg_type *type, unsigned char *block)
{
    part inner;
    if (side->places) {
        move_elements(side, type, block, false);
    } else if (find_part(side, type, &inner)) {
        tg_view inside = inner.memory;
        inside.data = block + inner.offset * (int64_t)side->bytes;
        for (int d = 0; d < side->rank; d++) inside.stride[d] = inner.dense[d];
        tg_copy_view((void *)inner.memory.data, inner.memory.stride, &inside, side->bytes);
    }
}

/* ---- carriers ---- */

unsigned char *tg_async_block_convert(const tg_machine *m, unsigned char *block, size_t count,
                                      tg_dtype from, tg_dtype to)
{
    if (from == to) return block;
    const tg_elementwise_call call = tg_elementwise_convert(m->launch->elementwise, from, to);
    unsigned char *converted = malloc(count * carrier_bytes(to) + 1);
    const void *source = block, *const result = converted;
    if (converted) {
        call.compute(converted, &source, 0, count, 0);
        if (call.finish) call.finish(converted, &result, 0, count, 0);
    }
    free(block);
    return converted;
}

unsigned char *tg_async_block_read(const tg_machine *m, const tg_async_side *side,
                                   const tg_type *type, tg_dtype as)
{
    const size_t count = (size_t)tg_type_count(type);
    tg_elementwise_fn *load = tg_elementwise_load(m->launch->elementwise, type->dtype);
    unsigned char *memory = malloc(count * side->bytes + 1), *block = memory;
    if (!memory) return NULL;
    read_memory(m, side, type, memory);
    if (load) {
        const void *source = memory;
        block = malloc(count * carrier_bytes(type->dtype) + 1);
        if (block) load(block, &source, 0, count, 0);
        free(memory);
    }
    /* The carrier of narrow floats is that of f32 already. */
    if (!block || tg_carrier_of(type->dtype) == tg_carrier_of(as)) return block;
    return tg_async_block_convert(m, block, count, type->dtype, as);
}

/* From carriers to what is in memory. */
static void store(const tg_machine *m, tg_dtype dtype, const unsigned char *block, size_t count,
                  unsigned char *to)
{
    const void *source = block;
    const tg_view all = {.data = block, .rank = 1, .shape = {(int64_t)count}, .stride = {1}};
    const int64_t dense = 1;
    tg_elementwise_fn *put = tg_elementwise_store(m->launch->elementwise, dtype);
    if (put)
        put(to, &source, 0, count, 0);
    else
        tg_copy_view(to, &dense, &all, tg_dtypes[dtype].bytes);
}

bool tg_async_block_write(const tg_machine *m, const tg_async_side *side, const tg_type *type,
                          const unsigned char *block)
{
    const size_t count = (size_t)tg_type_count(type);
    unsigned char *memory = malloc(count * side->bytes + 1);
    if (!memory) return false;
    store(m, type->dtype, block, count, memory);
    write_memory(side, type, memory);
    free(memory);
    return true;
}

bool tg_async_block_keep(const tg_machine *m, const tg_view *value, tg_dtype dtype,
                         unsigned char *to)
{
    int64_t dense[TG_MAX_RANK], count = 1;
    for (int d = 0; d < value->rank; d++) count *= value->shape[d];
    tg_dense_strides(value->rank, value->shape, dense);
    unsigned char *block = malloc((size_t)count * carrier_bytes(dtype) + 1);
    if (!block) return false;
    tg_copy_view(block, dense, value, carrier_bytes(dtype));
    store(m, dtype, block, (size_t)count, to);
    free(block);
    return true;
}
