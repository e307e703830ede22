#include "interp/sync/async_block.h"

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

/* Whether the part is all of the block. */
static bool is_whole(const part *inner, const tg_type *type)
{
    for (int d = 0; d < type->rank; d++)
        if (inner->memory.shape[d] != type->shape[d]) return false;
    return true;
}

static void read_memory(const tg_machine *m, const tg_async_side *side, const tg_type *type,
                        unsigned char *block)
{
    part inner;
    const bool has_part = !side->places && find_part(side, type, &inner);
    if (!has_part || !is_whole(&inner, type))
        tg_launch_fill_memory(m->launch, block, type->dtype, (size_t)tg_type_count(type));
    if (side->places)
        move_elements(side, type, block, true);
    else if (has_part)
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

bool tg_async_block_rows(const tg_async_side *side, const tg_type *type, tg_view *rows)
{
    part inner;
    if (side->places || type->rank == 0 || !find_part(side, type, &inner)) return false;
    if (!is_whole(&inner, type) || inner.memory.stride[type->rank - 1] != 1) return false;
    *rows = inner.memory;
    return true;
}

/* ---- carriers ---- */

unsigned char *tg_async_block_convert(const tg_machine *m, tg_room *room, unsigned char *block,
                                      size_t count, tg_dtype from, tg_dtype to)
{
    if (from == to) return block;
    const tg_elementwise_call call = tg_elementwise_convert(m->launch->elementwise, from, to);
    unsigned char *converted = tg_room_take(room, count * carrier_bytes(to));
    const void *source = block, *const result = converted;
    if (!converted) return NULL;
    call.compute(converted, &source, 0, count, 0);
    if (call.finish) call.finish(converted, &result, 0, count, 0);
    return converted;
}

/* Returns how many elements of the view, from any of its rows on, follow each other; *outer is the number
 * of dimensions before them. */
static int64_t run_of(const tg_view *rows, int *outer)
{
    int64_t run = 1;
    int d = rows->rank;
    while (d > 0 && rows->stride[d - 1] == run) run *= rows->shape[--d];
    *outer = d;
    return run;
}

/* Reads rows as carriers from where they are. */
static void load_rows(tg_elementwise_fn *load, const tg_view *rows, size_t bytes, size_t carrier,
                      unsigned char *block)
{
    tg_index_walk walk;
    int outer;
    const int64_t run = run_of(rows, &outer);
    if (!tg_index_begin(&walk, outer, rows->shape)) return;
    do {
        const void *source =
            (const char *)rows->data + tg_index_offset(&walk, rows->stride) * (int64_t)bytes;
        load(block, &source, 0, (size_t)run, 0);
        block += (size_t)run * carrier;
    } while (tg_index_next(&walk));
}

/* Reads the elements in the carrier of their dtype, which is not what they are in memory. */
static unsigned char *read_carriers(const tg_machine *m, tg_room *room, const tg_async_side *side,
                                    const tg_type *type, tg_elementwise_fn *load)
{
    const size_t count = (size_t)tg_type_count(type), carrier = carrier_bytes(type->dtype);
    tg_view rows;
    unsigned char *block = tg_room_take(room, count * carrier);
    if (!block) return NULL;
    if (tg_async_block_rows(side, type, &rows)) {
        load_rows(load, &rows, side->bytes, carrier, block);
        return block;
    }
    unsigned char *memory = tg_room_take(room, count * side->bytes);
    const void *source = memory;
    if (!memory) return NULL;
    read_memory(m, side, type, memory);
    load(block, &source, 0, count, 0);
    return block;
}

unsigned char *tg_async_block_read(const tg_machine *m, tg_room *room, const tg_async_side *side,
                                   const tg_type *type, tg_dtype as)
{
    const size_t count = (size_t)tg_type_count(type);
    tg_elementwise_fn *load = tg_elementwise_load(m->launch->elementwise, type->dtype);
    unsigned char *block =
        load ? read_carriers(m, room, side, type, load) : tg_room_take(room, count * side->bytes);
    if (!block) return NULL;
    if (!load) read_memory(m, side, type, block);
    /* The carrier of narrow floats is that of f32 already. */
    if (tg_carrier_of(type->dtype) == tg_carrier_of(as)) return block;
    return tg_async_block_convert(m, room, block, count, type->dtype, as);
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

bool tg_async_block_write(const tg_machine *m, tg_room *room, const tg_async_side *side,
                          const tg_type *type, const unsigned char *block)
{
    const size_t count = (size_t)tg_type_count(type);
    unsigned char *memory = tg_room_take(room, count * side->bytes);
    if (!memory) return false;
    store(m, type->dtype, block, count, memory);
    write_memory(side, type, memory);
    return true;
}

bool tg_async_block_keep(const tg_machine *m, const tg_view *value, tg_dtype dtype,
                         unsigned char *to)
{
    int64_t dense[TG_MAX_RANK], count = 1;
    for (int d = 0; d < value->rank; d++) count *= value->shape[d];
    tg_dense_strides(value->rank, value->shape, dense);
    tg_room *room = tg_room_enter(m->launch);
    unsigned char *block = room ? tg_room_take(room, (size_t)count * carrier_bytes(dtype)) : NULL;
    if (block) {
        tg_copy_view(block, dense, value, carrier_bytes(dtype));
        store(m, dtype, block, (size_t)count, to);
    }
    tg_room_leave(m->launch, room);
    return block != NULL;
}
