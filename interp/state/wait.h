/* What a program waits for.
 *
 * A program that cannot go on by itself has a wait object: memory that somebody else has to change,
 * and when that is enough.  Loops that look at memory (spin.h), semaphores and copies (semaphore.c)
 * are kinds of it.  Whoever schedules programs knows no others. */
#ifndef TG_INTERP_STATE_WAIT_H
#define TG_INTERP_STATE_WAIT_H

#include <stdbool.h>
#include <stddef.h>

#include "interp/state/observer.h"

struct tg_machine;

enum { TG_MOST_OTHERS = 3 };

/* A kind of wait object; m->wait is the one of the program of `m`. */
typedef struct tg_wait {
    /* Whether the program may go on now. */
    bool (*is_over)(const struct tg_machine *m);
    /* Whether anybody but the program's own copies may end it; NULL: other programs may. */
    bool (*may_end)(const struct tg_machine *m);
    /* Calls `visit` for the memory that it looks at. */
    void (*places)(const struct tg_machine *m,
                   void (*visit)(void *context, const unsigned char *at, size_t bytes),
                   void *context);
    /* The program goes on; NULL: nothing is to be done. */
    void (*go_on)(struct tg_machine *m);
    /* Nobody can end it, which is a finding; `others` wait for the same kind of thing. */
    void (*report)(struct tg_machine *m, const struct tg_machine *const *others, int count);
    /* A program that began only after the wait has ended it by `event`, which is a note; NULL: none
     * is made. */
    void (*began_later)(const struct tg_machine *m, const tg_access_event *event);
    /* Who has waited often lets others go on first: many may be waiting for a counter that many
     * raise. */
    bool is_patient;
} tg_wait;

/* Whether the program of `m` waits, and must go on waiting. */
bool tg_wait_lasts(const struct tg_machine *m);

/* The program of `m` does not wait any more, if it did. */
void tg_wait_end(struct tg_machine *m);

#endif
