/* Actors go on by themselves while a grid is walked.
 *
 * An actor is a chain of programs in flight, or a thread of one, on a machine of its own.  It is
 * ready, or waits (interp/state/wait.h), or has ended.  Copies that run beside programs are actors
 * as well (interp/state/actors.h), but not here: the order decides when they take place, and each
 * chain has a list of its own (interp/sync/async.h). */
#ifndef TG_SCHEDULE_ACTOR_H
#define TG_SCHEDULE_ACTOR_H

#include "interp/state/machine.h"

typedef struct tg_actor {
    tg_machine *machine;
    struct tg_team *team; /* of which it is a thread; NULL: it is a whole chain */
    int64_t chain, step;  /* the chain, and which of its programs is in flight */
    int64_t thread;
    int64_t turn;     /* its number in the order */
    int64_t begun;    /* number of actors that began before it */
    int64_t known;    /* number of actors that had begun when it started to wait */
    bool is_reported; /* the end of this wait has been reported */
    bool gave_way;    /* it may be waiting, but that is not proven */
    bool is_blocked;  /* it ended at a point where it could not go on */
    int waits;        /* number of patient waits so far, up to a limit */
    int64_t after; /* round (tg_waiting.rounds) from which it may go on; earlier if no other can */
} tg_actor;

#endif
