/* The history of elements: a log of all accesses by programs, in the order in which they happen,
 * with the values that they leave.
 *
 * The log stores an access as the strided box that it covers, so a block costs as much as an
 * element.  The history of an element consists of the boxes that contain it.  The log has a fixed
 * size: it counts the accesses that it has no room for, and never drops one silently.  Accesses to
 * the elements that the caller asks for have room of their own. */
#ifndef TG_CHECKS_HISTORY_H
#define TG_CHECKS_HISTORY_H

#include <pthread.h>

#include "interp/state/observer.h"
#include "plan/plan.h"

/* Accesses by one instruction of one program. */
typedef struct tg_history_entry {
    /* The number of the access among all accesses, from 0 on; accesses that the log leaves out have
     * numbers too. */
    int64_t step;
    /* If greater than 1: a series of accesses to one element each, with consecutive numbers. */
    int64_t steps;
    tg_access_kind kind; /* READ, WRITE or UPDATED */
    uint32_t param;      /* for parameters that share memory with an input: that input */
    const tg_inst *inst;
    int64_t program; /* its program index */
    bool is_part;    /* the accesses cover only parts of elements */
    int64_t first;   /* as in tg_access_event, in elements of the parameter */
    int rank;
    int64_t count[TG_MAX_RANK], stride[TG_MAX_RANK];
    /* WRITE, UPDATED: the values that the first `value_count` elements, row-major, had after the
     * access.  They are stored as in memory, at `values` + `value_at`. */
    int64_t value_count;
    size_t value_at;
} tg_history_entry;

/* Elements [first, last] of a parameter, row-major. */
typedef struct tg_history_range {
    uint32_t param;
    int64_t first, last;
} tg_history_range;

/* Upper limits.  Half of each is reserved for the elements that the caller asks for.  For other
 * elements, an op gets at most a quarter of the entries and an access at most 1/64 of the values.
 * For the elements that the caller asks for, an access gets at most 1/16 of the values. */
typedef struct tg_history_limits {
    size_t entries;
    int64_t values;
} tg_history_limits;

/* What is missing from the log of one parameter. */
typedef struct tg_history_gap {
    int64_t accesses; /* number of accesses that are not logged */
    int64_t values;   /* number of written elements whose value is not logged */
    /* The step of the first access that is not logged; INT64_MAX: none is missing. */
    int64_t since, since_asked_for;
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
    size_t *of_op;        /* per tg_opcode: number of its entries */
    int64_t step;         /* number of the next access */
    bool is_incomplete;   /* an entry or a value is missing because memory ran out */
    pthread_mutex_t lock; /* the order of entries is the order in which threads get the lock */
} tg_history;

/* Returns a log for one run of the plan, which must outlive it.  Copies `asked_for`.  Returns NULL
 * if memory runs out. */
tg_history *tg_history_new(const tg_plan *plan, const tg_history_range *asked_for, size_t count,
                           const tg_history_limits *limits);
void tg_history_free(tg_history *history); /* NULL is allowed */

/* Returns an observer that writes the log.  `history` must outlive the observer. */
tg_observer tg_history_observer(tg_history *history);

#endif
