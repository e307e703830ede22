#include "checks/undefined/sides.h"

#include "checks/undefined/pieces.h"
#include "checks/undefined/places.h"
#include "interp/state/index_walk.h"

tg_memory_shadow tg_side_memory(const tg_machine *m, const tg_async_op *op,
                                const tg_async_place *place, const tg_async_side *side)
{
    const tg_machine *owner = place->root == UINT32_MAX ? op->starter : m;
    tg_memory_shadow memory = tg_memory_of_ref(owner, place->ref, place->root);
    memory.data = side->ref.data;
    return memory;
}

void tg_side_get(const tg_memory_shadow *memory, const tg_async_side *side, const tg_type *type,
                 uint32_t outside, uint32_t *words)
{
    tg_index_walk walk;
    tg_pieces pieces;
    if (!tg_index_begin(&walk, side->rank, type->shape)) return;
    do
        *words++ =
            tg_async_side_find(side, walk.at, &pieces) ? tg_pieces_word(memory, &pieces) : outside;
    while (tg_index_next(&walk));
}

void tg_side_set(const tg_memory_shadow *memory, const tg_async_side *side, const tg_type *type,
                 const uint32_t *words)
{
    tg_index_walk walk;
    tg_pieces pieces;
    if (!tg_index_begin(&walk, side->rank, type->shape)) return;
    do {
        if (tg_async_side_find(side, walk.at, &pieces)) tg_pieces_set_word(memory, &pieces, *words);
        words++;
    } while (tg_index_next(&walk));
}

/* ---- whole sides ---- */

static bool has_all(const tg_async_side *side)
{
    size_t count = (size_t)side->pieces;
    for (int d = 0; d < side->rank; d++) {
        if (side->ref.low[d] != 0 || side->ref.high[d] != side->ref.shape[d]) return false;
        count *= (size_t)side->ref.shape[d];
    }
    for (size_t i = 0; side->places && i < count; i++)
        if (!side->places[i]) return false;
    return true;
}

/* The places of a side with strides. */
static tg_plane_box box_of(const tg_memory_shadow *memory, const tg_extent *extent)
{
    const int64_t width = (int64_t)memory->memory->width;
    const int last = extent->rank - 1;
    tg_plane_box box = {.rank = extent->rank, .first = (extent->first - memory->data) / width};
    for (int d = 0; d < last; d++) {
        box.count[d] = extent->count[d];
        box.stride[d] = extent->stride[d] / width;
    }
    box.count[last] = extent->count[last] / width;
    box.stride[last] = 1;
    return box;
}

static tg_plane_box box_of_run(const tg_memory_shadow *memory, const tg_async_run *run)
{
    const int64_t width = (int64_t)memory->memory->width;
    return (tg_plane_box){.rank = 1,
                          .first = (run->first - memory->data) / width,
                          .count = {run->bytes / width},
                          .stride = {1}};
}

static bool are_places_defined(const tg_memory_shadow *memory, const tg_async_side *side)
{
    if (!side->places && side->extent.rank) {
        const tg_plane_box box = box_of(memory, &side->extent);
        return tg_memory_box_is_defined(memory, &box);
    }
    for (uint32_t i = 0; i < side->run_count; i++) {
        const tg_plane_box box = box_of_run(memory, &side->runs[i]);
        if (!tg_memory_box_is_defined(memory, &box)) return false;
    }
    return true;
}

static void define_places(const tg_memory_shadow *memory, const tg_async_side *side)
{
    if (!side->places && side->extent.rank) {
        const tg_plane_box box = box_of(memory, &side->extent);
        tg_memory_define_box(memory, &box);
    }
    for (uint32_t i = 0; i < side->run_count; i++) {
        const tg_plane_box box = box_of_run(memory, &side->runs[i]);
        tg_memory_define_box(memory, &box);
    }
}

bool tg_side_is_defined(const tg_machine *m, const tg_async_op *op, const tg_async_place *place,
                        const tg_async_side *side)
{
    const tg_memory_shadow memory = tg_side_memory(m, op, place, side);
    if (!has_all(side)) return false;
    tg_planes_lock(m, &memory);
    const bool is_defined = !memory.plane || are_places_defined(&memory, side);
    tg_planes_unlock(m, &memory);
    return is_defined;
}

void tg_side_define(const tg_machine *m, const tg_async_op *op, const tg_async_place *place,
                    const tg_async_side *side)
{
    const tg_memory_shadow memory = tg_side_memory(m, op, place, side);
    tg_planes_lock(m, &memory);
    if (memory.plane) define_places(&memory, side);
    tg_planes_unlock(m, &memory);
}
