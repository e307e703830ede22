/* The history of elements: a log of what programs touched, in the order in which they did, with the
 * values that they left.
 *
 * An access is kept as the strided box that it touched, so that a block costs as much as an
 * element, and the history of any element is what the boxes that contain it say.  The log is
 * bounded: what it has no room for is counted, never dropped in silence, and what touches the
 * elements that the caller asks for has room of its own. */
#ifndef TG_CHECKS_HISTORY_H
#define TG_CHECKS_HISTORY_H

#include <pthread.h>

#include "interp/state/observer.h"
#include "plan/plan.h"

/* Accesses of one instruction by one program. */
typedef struct tg_history_entry {
    int64_t step;  /* its number among all accesses, from 0 on; those left out count too */
    int64_t steps; /* > 1: a series of accesses to one element each, with numbers that follow */
    tg_access_kind kind; /* READ, WRITE or UPDATED */
    uint32_t param;      /* of those that share memory with an input: that input */
    const tg_inst *inst;
    int64_t program; /* its place in the grid, row-major */
    bool is_part;    /* it touches parts of elements */
    int64_t first;   /* as in tg_access_event, in elements of the parameter */
    int rank;
    int64_t count[TG_MAX_RANK], stride[TG_MAX_RANK];
    /* WRITE, UPDATED: what the first `value_count` of its elements, row-major, held then: as memory
     * holds them, from `value_at` on in `values`. */
    int64_t value_count;
    size_t value_at;
} tg_history_entry;

/* Elements [first, last] of a parameter, row-major. */
typedef struct tg_history_range {
    uint32_t param;
    int64_t first, last;
} tg_history_range;

/* At most so many; half of either is for the elements asked for.  Of the rest, an operation gets at
 * most a quarter of the entries, and an access a 64th of the values; of the elements asked for, an
 * access gets a 16th of the values. */
typedef struct tg_history_limits {
    size_t entries;
    int64_t values;
} tg_history_limits;

/* What the log of one parameter lacks. */
typedef struct tg_history_gap {
    int64_t accesses;               /* how many it had no room for */
    int64_t values;                 /* elements written whose value it had no room for */
    int64_t since, since_asked_for; /* step of the first access left out; INT64_MAX: none */
} tg_history_gap;

typedef struct tg_history {
    const tg_plan *plan;
    tg_history_limits limits;
    tg_history_range *asked_for; /* `param` as in tg_history_entry */
    size_t asked_for_count;
    tg_history_entry *entries;
    size_t count, room;
    unsigned char *values;
    size_t value_bytes, value_room;
    int64_t value_count;  /* in elements */
    tg_history_gap *gaps; /* per parameter */
    size_t *of_op;        /* per tg_opcode: entries that it has */
    int64_t step;         /* of the next access */
    bool is_incomplete;   /* something was lost for want of memory */
    pthread_mutex_t lock; /* several threads are logged in the order in which they get it */
} tg_history;

/* A log for one run of the plan, which must outlive it; `asked_for` is copied.  NULL without
 * memory. */
tg_history *tg_history_new(const tg_plan *plan, const tg_history_range *asked_for, size_t count,
                           const tg_history_limits *limits);
void tg_history_free(tg_history *history); /* NULL is fine */

/* `history` outlives the observer. */
tg_observer tg_history_observer(tg_history *history);

#endif
