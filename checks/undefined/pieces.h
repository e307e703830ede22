/* The words of elements that are found by their pieces, which are at least as wide as places. */
#ifndef TG_CHECKS_UNDEFINED_PIECES_H
#define TG_CHECKS_UNDEFINED_PIECES_H

#include "checks/undefined/shadow.h"
#include "interp/memory/recast.h"

/* Gets the word of the element; 0 if all of the memory is defined. */
uint32_t tg_pieces_word(const tg_memory_shadow *memory, const tg_pieces *pieces);

void tg_pieces_set_word(const tg_memory_shadow *memory, const tg_pieces *pieces, uint32_t word);

#endif
