/* Threads that work for a run in order "parallel", so that who has some already may lend them. */
#ifndef TILEGRIND_EXECUTOR_H
#define TILEGRIND_EXECUTOR_H

#include <stddef.h>

/* It belongs to who hands it in, and is called only within the calls of the library that it is
 * handed to, by the thread that makes them; several such calls may be under way at once. */
typedef struct tg_executor {
    size_t size; /* sizeof(tg_executor): lets the struct grow */
    /* Calls work(work_context, 0) on the calling thread, and work(work_context, i) for other i <
     * members on other threads, as far as there are any: no number twice, and none while one below
     * it has not been called.  No thread need be there for all of them: one that finds nothing left
     * to do returns at once.  Comes back when all those calls have; returns how many there were,
     * from 1 to `members`. */
    int (*run)(void *context, int members, void (*work)(void *work_context, int member),
               void *work_context);
    /* How many threads a run that begins now may take, its own included, without crowding out
     * others: at least 1. */
    int (*room)(void *context);
    void *context;
} tg_executor;

#endif
