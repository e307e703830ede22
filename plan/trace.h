/* A log of the results of a kernel's ops, block by block.  With it two backends are compared where
 * their results differ (crosscheck/first_difference.h).
 *
 * A run in sequential order writes a log of records: for each executed instruction of the body, and
 * each of its sites, a tg_trace_record, the elements of the block as dense carriers, and zeros up
 * to a multiple of 8 bytes.  So as long as two backends agree, their logs are the same except for
 * the bits of NaNs.  A window bounds the memory of a log: records outside the window are left out,
 * and another run may have the next window. */
#ifndef TG_PLAN_TRACE_H
#define TG_PLAN_TRACE_H

#include "plan/plan.h"

/* A site, whose results are logged: an operand that an instruction writes, or one op of a group,
 * whose block no slot ever holds. */
typedef struct tg_trace_site {
    tg_opcode op;
    uint32_t loc;
    const tg_operand *operand; /* NULL: an op of a group */
    tg_type block;             /* dtype and shape of its result */
    size_t offset;             /* of its record, among those of its instruction */
    size_t bytes;              /* of its record, a multiple of 8 */
} tg_trace_site;

/* All sites of a plan's body, in the order of the instructions. */
typedef struct tg_trace_sites {
    uint32_t count;
    tg_trace_site *list;
    uint32_t *first; /* per instruction of the body, and one more: index of its first site */
    size_t most;     /* the most bytes that the records of one instruction take */
} tg_trace_sites;

/* Returns the sites of a plan; NULL if memory runs out.  Free them before the plan. */
tg_trace_sites *tg_trace_sites_new(const tg_plan *plan);
void tg_trace_sites_free(tg_trace_sites *sites); /* NULL is fine */

/* The number of bytes of the records of one instruction. */
size_t tg_trace_bytes(const tg_trace_sites *sites, uint32_t inst);

/* The window of a log. */
typedef struct tg_trace {
    const tg_trace_sites *sites;
    uint64_t first;      /* offset in the log where the window begins, a multiple of 8 */
    size_t bytes;        /* size of the window */
    unsigned char *data; /* `bytes`, zero before the run */
    uint64_t at;         /* offset in the log of the next record; 0 before the run */
} tg_trace;

/* The header before each block. */
typedef struct tg_trace_record {
    uint64_t site;  /* index of the site + 1; 0: the log ends here */
    uint64_t order; /* the program index */
} tg_trace_record;

/* Takes room for the records of all sites of an instruction.  Returns NULL if they are outside the
 * window.  Writes the record headers, but not the blocks after them. */
unsigned char *tg_trace_take(tg_trace *trace, uint32_t inst, int64_t order);

/* Reads the record at offset `at` of the window; false if the log or the window ends there. */
bool tg_trace_read(const tg_trace *trace, size_t at, tg_trace_record *out);

#endif
