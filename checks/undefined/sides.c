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
