/* Which actors know what others have done, through atomics.
 *
 * An atomic may release: it hands on what its program has done so far.  If any instruction reads the
 * value that it returns, it may also acquire: it takes on what all earlier atomics on that place have
 * released, for each of them has read what the one before has left.  Only an atomic store has not: from
 * then on there is nothing to take on but what its own program has released there.  So a program that takes a lock, or the last program that counts up, may rely on what
 * others wrote before.  An atomic whose value nobody reads acquires nothing.  This is the order of
 * one run; in another run, programs may take locks in another order.
 *
 * The same holds for a copy that runs beside a program: the program releases when it starts the
 * copy, and acquires what the copy has done when its wait for the copy ends.
 *
 * The actions of an actor are counted in *epochs*: each release ends an epoch.  Releases and
 * acquisitions have times, in the order of the run: what leads from an access to an actor that knows
 * of it is later than the end of the epoch of that access, so a search leaves out all that is earlier. */
#ifndef TG_CHECKS_RACES_SYNC_H
#define TG_CHECKS_RACES_SYNC_H

#include "base/arena.h"
#include "checks/actor_numbers.h"
#include "checks/number_map.h"

/* An op beside the programs has two places of its own: what is handed on to it as it starts, and by it when
 * it is done; and what it hands on when it has read its sources. */
typedef enum tg_sync_op_place { TG_SYNC_OP, TG_SYNC_OP_READ, TG_SYNC_OP_PLACES } tg_sync_op_place;

typedef struct tg_sync_actor {
    uint32_t epoch;
    uint64_t *ends; /* times of the ends of its epochs before this one */
    struct tg_sync_acquired {
        uint32_t place, version; /* it has acquired the first `version` releases there */
        uint32_t epoch;          /* its own epoch at that time */
        uint64_t time;
    } * list;
    uint32_t count, room, ends_room;
    /* Of a search: the entries acquired up to epoch `until` have been visited. */
    uint32_t search, until;
    uint32_t own[TG_SYNC_OP_PLACES]; /* the number of such a place, plus 1; 0: none yet */
} tg_sync_actor;

/* So many releases at a place are looked through one by one. */
enum { TG_SYNC_FEW = 8 };

typedef struct tg_sync_place {
    struct tg_sync_release {
        uint32_t actor, epoch; /* releases everything up to that epoch */
        /* The number of the previous release by the actor; UINT32_MAX: none, or there are few. */
        uint32_t before;
        uint64_t time;
    } * list;
    uint32_t count, room;
    uint32_t seen; /* another actor has acquired the first `seen` releases */
    /* Of a search: the first `known` releases have been visited or are in the queue. */
    uint32_t search, known;
} tg_sync_place;

/* Zero-initialise, and set the `programs` of both actor_numbers and writer_numbers. */
typedef struct tg_sync {
    tg_sync_actor *actors;
    tg_sync_place *places;
    uint32_t actor_count, actor_room, place_count, place_room;
    tg_actor_numbers actor_numbers;
    tg_actor_numbers writer_numbers; /* of writers of ops, by the op */
    tg_number_map place_numbers;
    tg_arena first; /* what lists begin with: most stay as short */
    /* Of a place with more than TG_SYNC_FEW releases and an actor: number of its last release there. */
    tg_number_map last;
    struct tg_sync_known {
        uint32_t place, from, version;
    } * queue; /* of a search: releases to visit */
    size_t queue_count, queue_room;
    uint32_t searches;
    uint64_t time;      /* of the last release or acquisition */
    bool is_incomplete; /* something was lost because memory ran out */
} tg_sync;

void tg_sync_free(tg_sync *sync);

/* An op may have a second actor, which writes for it: all functions below take it as they take any actor. */
static inline int64_t tg_sync_writer_of(int64_t op) { return -1 - op; }

/* Returns the current epoch of the actor. */
uint32_t tg_sync_epoch(tg_sync *sync, int64_t actor);

/* tg_sync_release: the actor releases what it has done so far, through a place. tg_sync_acquire: it
 * acquires what all actors have released there.  An atomic that does both acquires first. */
void tg_sync_release(tg_sync *sync, uint64_t place, int64_t actor);
void tg_sync_acquire(tg_sync *sync, uint64_t place, int64_t actor);

/* An atomic store of the actor: what others have released at the place can be acquired no more. */
void tg_sync_overwrite(tg_sync *sync, uint64_t place, int64_t actor);

/* The same through a place of an op. */
void tg_sync_release_op(tg_sync *sync, int64_t op, tg_sync_op_place which, int64_t actor);
void tg_sync_acquire_op(tg_sync *sync, int64_t op, tg_sync_op_place which, int64_t actor);

/* Returns whether `actor` may rely on what `other` did in `epoch`. */
bool tg_sync_knows(tg_sync *sync, int64_t actor, int64_t other, uint32_t epoch);

#endif
