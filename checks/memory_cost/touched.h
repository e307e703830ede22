/* The addresses that an access touches, element by element in the order of its value.
 *
 * A ref that a bitcast has made may have elements whose bytes are in several *pieces* of memory. */
#ifndef TG_CHECKS_MEMORY_COST_TOUCHED_H
#define TG_CHECKS_MEMORY_COST_TOUCHED_H

#include "checks/memory_cost/memory.h"
#include "interp/memory/elements.h"

typedef struct tg_touched {
    tg_elements walk;
    tg_view mask;
    const tg_cost_memory *memory;
    int64_t left;    /* elements that have not been taken */
    int piece_bytes; /* a power of two */
    int pieces;      /* of each element */
} tg_touched;

/* The access that the machine is about to make. */
tg_touched tg_touched_begin(tg_machine *m, const tg_inst *inst, const tg_cost_memory *memory);

/* Takes the next elements; those behind the last one touch nothing.  `bytes` has room for the
 * addresses of all their pieces, within the memory; -1: not touched, as outside the array or masked
 * off. */
void tg_touched_take(tg_touched *touched, int64_t elements, int64_t *bytes);

#endif
