/* Who knows of what others have done, through atomics.
 *
 * An atomic hands on what its program has done so far (it releases), and if anything reads the
 * value that it returns it takes on what all atomics on that place before it have handed on (it
 * acquires): so programs that take a lock, or the last one to count up, may rely on what others
 * wrote before.  An atomic whose value nobody reads tells its program nothing.  This is the order
 * of one run; in another one locks are taken in another order.
 *
 * The same holds of a copy that runs beside a program: the program hands on what it has done when
 * it starts the copy, and takes on what the copy has done when it has made sure of it.
 *
 * An actor's actions are counted in *epochs*: each time it hands something on ends one. */
#ifndef TG_CHECKS_RACES_SYNC_H
#define TG_CHECKS_RACES_SYNC_H

#include "checks/number_map.h"

typedef struct tg_sync_actor {
    uint32_t epoch;
    struct tg_sync_acquired {
        uint32_t place, version; /* it knows of the first so many releases there */
        uint32_t epoch;          /* of its own, since when */
    } * list;
    uint32_t count, room;
    uint32_t search, until; /* of a search: what it had acquired until then has been looked at */
} tg_sync_actor;

typedef struct tg_sync_place {
    struct tg_sync_release {
        uint32_t actor, epoch; /* all up to that epoch is handed on */
        uint32_t before; /* number of the actor's last release before that one; UINT32_MAX: none */
    } * list;
    uint32_t count, room;
    uint32_t seen;          /* somebody else has taken on the first so many releases */
    uint32_t search, known; /* of a search: the first so many releases are looked at, or will be */
} tg_sync_place;

/* Zero-initialise. */
typedef struct tg_sync {
    tg_sync_actor *actors;
    tg_sync_place *places;
    uint32_t actor_count, actor_room, place_count, place_room;
    tg_number_map actor_numbers, place_numbers;
    tg_number_map last; /* of a place and an actor: number of its last release there */
    struct tg_sync_known {
        uint32_t place, from, version;
    } * stack; /* of a search: releases to look at */
    size_t stack_count, stack_room;
    uint32_t searches;
    bool is_incomplete; /* something was lost for want of memory */
} tg_sync;

void tg_sync_free(tg_sync *sync);

/* The epoch in which the actor is. */
uint32_t tg_sync_epoch(tg_sync *sync, int64_t actor);

/* The actor hands on what it has done so far by way of a place, or takes on what all have handed on
 * there.  An atomic that does both takes on first. */
void tg_sync_release(tg_sync *sync, uint64_t place, int64_t actor);
void tg_sync_acquire(tg_sync *sync, uint64_t place, int64_t actor);

/* Whether `actor` may rely on what `other` did in `epoch`. */
bool tg_sync_knows(tg_sync *sync, int64_t actor, int64_t other, uint32_t epoch);

#endif
