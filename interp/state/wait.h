/* What a program waits for.
 *
 * A program that cannot go on by itself has a wait object: the memory that another actor has to
 * change, and the condition that ends the wait.  Its kinds are loops that look at memory (spin.h),
 * semaphores and copies (semaphore.c), and barriers (barrier.c).  Schedulers know only this
 * interface. */
#ifndef TG_INTERP_STATE_WAIT_H
#define TG_INTERP_STATE_WAIT_H

#include <stdbool.h>
#include <stddef.h>

#include "interp/state/observer.h"

struct tg_machine;

enum { TG_MOST_OTHERS = 3 };

/* A kind of wait object; m->wait is that of the program of `m`. */
typedef struct tg_wait {
    /* Returns whether the program may go on now. */
    bool (*is_over)(const struct tg_machine *m);
    /* Returns whether anybody but the program's own copies may end the wait; NULL: other programs
     * may. */
    bool (*may_end)(const struct tg_machine *m);
    /* Calls `visit` for each piece of memory that the wait depends on. */
    void (*places)(const struct tg_machine *m,
                   void (*visit)(void *context, const unsigned char *at, size_t bytes),
                   void *context);
    /* Called when the program goes on; NULL: there is nothing to do. */
    void (*go_on)(struct tg_machine *m);
    /* Reports that nobody can end the wait; `others` wait for the same kind of object. */
    void (*report)(struct tg_machine *m, const struct tg_machine *const *others, int count);
    /* Reports, as a note, that a program that began only after the wait has ended it by `event`;
     * NULL: there is no such note. */
    void (*began_later)(const struct tg_machine *m, const tg_access_event *event);
    /* An actor that has waited often yields to others first: many may wait for a counter that many
     * change. */
    bool is_patient;
    bool is_idle; /* if nobody can end the wait, the actor ends, and nothing is reported */
} tg_wait;

/* Returns whether the program of `m` waits and cannot go on yet. */
bool tg_wait_lasts(const struct tg_machine *m);

/* Ends the wait of the program of `m`, if there is one. */
void tg_wait_end(struct tg_machine *m);

#endif
