#include "checks/undefined/pieces.h"

#include "checks/undefined/places.h"

/* Returns the place of piece `i` of the element. */
static int64_t place_of(const tg_memory_shadow *memory, const tg_pieces *pieces, int i)
{
    return (pieces->at[i] - memory->data) / (int64_t)memory->memory->width;
}

static tg_dtype piece_dtype(const tg_pieces *pieces)
{
    static const tg_dtype of[9] = {
        [1] = TG_DT_u8, [2] = TG_DT_u16, [4] = TG_DT_u32, [8] = TG_DT_u64};
    return of[pieces->piece_bytes];
}

uint32_t tg_pieces_word(const tg_memory_shadow *memory, const tg_pieces *pieces)
{
    uint32_t first = 0;
    unsigned bytes = 0;
    for (int i = 0; memory->plane && i < pieces->count; i++) {
        const uint32_t word =
            tg_memory_get(memory, place_of(memory, pieces, i), piece_dtype(pieces));
        if (!first) first = word;
        bytes |= tg_word_bytes(word) << ((size_t)i * pieces->piece_bytes);
    }
    return tg_word(tg_word_trail(first), bytes);
}

void tg_pieces_set_word(const tg_memory_shadow *memory, const tg_pieces *pieces, uint32_t word)
{
    const tg_dtype piece = piece_dtype(pieces);
    for (int i = 0; memory->plane && i < pieces->count; i++) {
        const unsigned bytes =
            tg_word_bytes(word) >> ((size_t)i * pieces->piece_bytes) & tg_all_bytes(piece);
        tg_memory_set(memory, place_of(memory, pieces, i), piece,
                      tg_word(tg_word_trail(word), bytes));
    }
}
