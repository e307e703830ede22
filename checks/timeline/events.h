/* What happens in a run, in logical time: who works, who waits for what, and what is in flight.
 *
 * Time is counted in steps of the run: each instruction that a program executes is one, and so is
 * each moment at which an op beside the programs reads or takes place.  An event covers the steps
 * begin <= step < end.  The log has a fixed size, and counts what it has no room for. */
#ifndef TG_CHECKS_TIMELINE_EVENTS_H
#define TG_CHECKS_TIMELINE_EVENTS_H

#include <pthread.h>

#include "checks/number_map.h"
#include "interp/state/machine.h"

typedef enum tg_time_kind {
    TG_TIME_WORK,   /* instructions of one source line that a program executes one after another */
    TG_TIME_WAIT,   /* a program waits, or finds that it need not */
    TG_TIME_ASYNC,  /* an op beside the programs, from its start until a program is sure of it */
    TG_TIME_SIGNAL, /* an arrival, a raised semaphore, or a write that has ended a wait */
    TG_TIME_PHASE,  /* a phase of a barrier is complete */
    TG_TIME_PRINT
} tg_time_kind;

/* Memory of a parameter. */
typedef struct tg_time_place {
    uint32_t param; /* UINT32_MAX: scoped memory, or none */
    int64_t byte;   /* the first one; -1: not known */
} tg_time_place;

enum { TG_TIME_NEVER = -1, TG_TIME_NONE = -1 };

typedef struct tg_time_event {
    tg_time_kind kind;
    const tg_inst *inst;
    int64_t program, actor; /* ASYNC: of the program that started it */
    int64_t begin, end;     /* end of WAIT, ASYNC: TG_TIME_NEVER where nothing has ended it */
    /* WAIT: number of the event that ended it, SIGNAL or ASYNC; PHASE: of the one that completed
     * it; TG_TIME_NONE: not known, or there was no room for it. */
    int64_t by;
    /* WAIT, SIGNAL, PHASE: the barrier, semaphore or element; ASYNC: what it writes. */
    tg_time_place place;
    int64_t owner; /* WAIT, SIGNAL, PHASE: the chain that has it */
    /* WORK: instructions; WAIT, SIGNAL, PHASE: the phase of a barrier, or what a semaphore is
     * lowered or raised by, or -1; ASYNC: bytes of a copy. */
    int64_t number;
    tg_time_place source[TG_MOST_SOURCES]; /* ASYNC */
    int64_t read, happened;                /* ASYNC: steps, or TG_TIME_NEVER */
    char *text;                            /* PRINT: owned by the log; else NULL */
} tg_time_event;

typedef struct tg_timeline {
    size_t most; /* events; of these at most half are WORK */
    tg_time_event *events;
    size_t count, room, work_count;
    int64_t left_out;            /* events that there was no room for */
    tg_time_event first_left;    /* left_out > 0: the first of them */
    int64_t step;                /* number of the next step */
    struct tg_time_lane *worker; /* has an event WORK that may go on; NULL: none has */
    tg_number_map known;         /* events by what they are about, see tg_timeline_find */
    bool is_incomplete;          /* an event is missing as memory ran out */
    pthread_mutex_t lock;
} tg_timeline;

/* Returns an empty log of at most `most` events; NULL if memory runs out. */
tg_timeline *tg_timeline_new(size_t most);
void tg_timeline_free(tg_timeline *timeline); /* NULL is allowed */

/* Adds an event, whose text the log takes over.  Returns its number; TG_TIME_NONE if there is no
 * room. */
int64_t tg_timeline_add(tg_timeline *timeline, const tg_time_event *event);

/* The event of that number; NULL of TG_TIME_NONE. */
static inline tg_time_event *tg_timeline_at(const tg_timeline *timeline, int64_t number)
{
    return number < 0 ? NULL : &timeline->events[number];
}

/* Says which event is known by a key; TG_TIME_NONE: none is any more. */
void tg_timeline_know(tg_timeline *timeline, uint64_t key, int64_t number);

/* Returns the number of the event that is known by a key; TG_TIME_NONE: none is. */
int64_t tg_timeline_find(const tg_timeline *timeline, uint64_t key);

#endif
