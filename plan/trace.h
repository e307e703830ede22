/* What the ops of a kernel leave, block by block: by this two backends are held against each other
 * where their results differ (crosscheck/first_difference.h).
 *
 * A run in sequential order writes a log of records: for each instruction of the body that is
 * executed, and each of its sites, a tg_trace_record, the elements of the block as dense carriers,
 * and zeros up to a multiple of 8 bytes.  So as long as two backends agree their logs are the same,
 * but for the bits of NaNs.  What memory a log takes is bounded by its window: what lies before it
 * and behind is left out, and another run may have the next window. */
#ifndef TG_PLAN_TRACE_H
#define TG_PLAN_TRACE_H

#include "plan/plan.h"

/* What is told of: an operand that an instruction writes, or one op of a group, whose block no slot
 * ever holds. */
typedef struct tg_trace_site {
    tg_opcode op;
    uint32_t loc;
    const tg_operand *operand; /* NULL: an op of a group */
    tg_type block;             /* dtype and shape of what it leaves */
    size_t offset;             /* of its record, among those of its instruction */
    size_t bytes;              /* of its record, a multiple of 8 */
} tg_trace_site;

/* All sites of a plan's body, in the order of the instructions. */
typedef struct tg_trace_sites {
    uint32_t count;
    tg_trace_site *list;
    uint32_t *first; /* per instruction of the body, and one more: number of its first site */
    size_t most;     /* bytes that an instruction leaves at the most */
} tg_trace_sites;

/* NULL without memory.  Free it before the plan. */
tg_trace_sites *tg_trace_sites_new(const tg_plan *plan);
void tg_trace_sites_free(tg_trace_sites *sites); /* NULL is fine */

/* Bytes of the records of one instruction. */
size_t tg_trace_bytes(const tg_trace_sites *sites, uint32_t inst);

/* The window of a log. */
typedef struct tg_trace {
    const tg_trace_sites *sites;
    uint64_t first;      /* place in the log where the window begins, a multiple of 8 */
    size_t bytes;        /* of the window */
    unsigned char *data; /* `bytes`, zero before the run */
    uint64_t at;         /* place in the log where the next record goes; 0 before the run */
} tg_trace;

/* Stands before each block. */
typedef struct tg_trace_record {
    uint64_t site;  /* its number + 1; 0: the log ends here */
    uint64_t order; /* place of the program in the grid, row-major */
} tg_trace_record;

/* Room for the records of an instruction: those of all its sites or, outside the window, NULL.  The
 * records are written, the blocks behind them are not. */
unsigned char *tg_trace_take(tg_trace *trace, uint32_t inst, int64_t order);

/* The record at `at` in the window; false where the log or the window ends. */
bool tg_trace_read(const tg_trace *trace, size_t at, tg_trace_record *out);

#endif
