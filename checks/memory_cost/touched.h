/* The addresses that an access touches, element by element in the order of its value.
 *
 * A ref that a bitcast has made may have elements whose bytes are in several *pieces* of memory. */
#ifndef TG_CHECKS_MEMORY_COST_TOUCHED_H
#define TG_CHECKS_MEMORY_COST_TOUCHED_H

#include "checks/memory_cost/memory.h"
#include "interp/memory/elements.h"

/* A row of the value whose elements are evenly spaced in memory. */
typedef struct tg_touched_row {
    int dim;           /* of the ref; -1: rows are not like that */
    int64_t length;    /* elements */
    int64_t low, high; /* those inside the array */
    int64_t step;      /* bytes from one to the next */
    int64_t at;        /* the next element */
    /* Of this row: where element `low` is, and the mask. */
    bool is_there; /* its elements inside the array are in memory */
    int64_t byte;
    const uint8_t *mask; /* NULL: it is on everywhere */
} tg_touched_row;

typedef struct tg_touched {
    tg_elements walk;
    tg_view mask;
    const tg_cost_memory *memory;
    const tg_ref *block; /* see tg_cost_memory_byte */
    int64_t left;        /* elements that have not been taken */
    int piece_bytes;     /* a power of two */
    int pieces;          /* of each element */
    tg_touched_row row;
} tg_touched;

/* The access that the machine is about to make. */
tg_touched tg_touched_begin(tg_machine *m, const tg_inst *inst, const tg_cost_memory *memory);

/* Takes the next elements; those behind the last one touch nothing.  `bytes` has room for the
 * addresses of all their pieces, within the memory; -1: not touched, as outside the array or masked
 * off. */
void tg_touched_take(tg_touched *touched, int64_t elements, int64_t *bytes);

#endif
