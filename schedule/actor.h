/* Actors: what goes on by itself while a grid is walked.
 *
 * An actor is a chain of programs in flight, or a thread of one, on a machine of its own.  It can go
 * on, or waits (interp/state/wait.h), or has ended.  Copies that run beside programs are actors as
 * well (interp/state/actors.h): the order says when they take place, and a chain has a list of its
 * own (interp/sync/dma.h). */
#ifndef TG_SCHEDULE_ACTOR_H
#define TG_SCHEDULE_ACTOR_H

#include "interp/state/machine.h"

typedef struct tg_actor {
    tg_machine *machine;
    struct tg_team *team; /* that it is a thread of; NULL: it is a chain */
    int64_t chain, step;  /* which of its programs is in flight */
    int64_t thread;
    int64_t turn;     /* the order has it as number `turn` */
    int64_t begun;    /* actors that had begun before it */
    int64_t known;    /* actors that had begun when it came to wait */
    bool is_reported; /* who has ended the wait */
    bool gave_way;    /* it may be waiting, but that is not known */
    bool is_blocked;  /* it has ended where it could not go on */
    int waits;        /* so often it has waited; */
    int64_t after;    /* it goes on after so many rounds (tg_waiting.rounds), if others can */
} tg_actor;

#endif
