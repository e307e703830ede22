/* The state of the race detector. */
#ifndef TG_CHECKS_RACES_STATE_H
#define TG_CHECKS_RACES_STATE_H

#include <pthread.h>

#include "checks/races/access_sets.h"
#include "checks/plane.h"
#include "checks/races/sync.h"
#include "interp/state/observer.h"
#include "plan/plan.h"

/* Memory that programs write, of one parameter or of several that share it. */
typedef struct tg_race_memory {
    bool is_watched;
    uint32_t same_as; /* the parameter that represents all that share the memory */
    int64_t count;    /* places, of `width` bytes */
    size_t width;     /* width of the narrowest access by any op */
    tg_plane plane;   /* per place: the number of its access set */
} tg_race_memory;

/* Places that were already written, with their bytes before the current access, at `bytes` +
 * `at`. */
typedef struct tg_race_snapshot {
    int64_t first, count;
    size_t at;
} tg_race_snapshot;

/* An access to memory of `param` that only a promise orders behind one by a product. */
typedef struct tg_race_reliance {
    tg_race_access access, done;
    uint32_t param;
} tg_race_reliance;

/* A promised wait of a thread, in that epoch of it, for an op. */
typedef struct tg_race_promise {
    int64_t op, waiter; /* actors */
    uint32_t epoch;
} tg_race_promise;

enum { TG_RACE_SETS_KNOWN = 32 };

typedef struct tg_races {
    const tg_plan *plan;
    tg_race_memory *memories; /* per param; those of scratch have no plane */
    tg_race_memory *scratch;  /* that threads share, for each chain in flight */
    size_t scratch_count, scratch_room;
    tg_number_map scratch_numbers; /* by address */
    bool has_actors;               /* there are several actors; otherwise nothing can conflict */
    bool is_ordered;               /* some atomic acquires: atomics order programs */
    bool *acquires;                /* per instruction of the body; used if is_ordered */
    bool has_narrow;      /* threads order each other by atomics that are none for other programs */
    uint64_t place_count; /* numbers of places in memory (sync.h) are less */
    tg_sync sync;         /* used if is_ordered */
    tg_actor_numbers
        elsewhere; /* ops beside threads that other threads have waited for, by actor */
    /* By actor of an op that only promised waits have made sure of, and thread: the epoch of the thread at its first
     * such wait. */
    tg_number_map promised;
    tg_race_promise *promises; /* those for ops that may come behind others */
    size_t promise_count, promise_room;
    tg_race_reliance *reliances; /* see promises.h */
    size_t reliance_count, reliance_room;
    bool adds_at_once; /* add_update is one step; otherwise it is a read and a write */
    bool is_shared;
    /* A recursive lock.  It is held from the intent to write until the write is done, so that no
     * thread writes memory that another one compares. */
    pthread_mutex_t lock;
    tg_access_sets sets;
    tg_race_snapshot *snapshots; /* of the current op */
    unsigned char *bytes;
    size_t snapshot_count, snapshot_room, byte_count, byte_room;
    /* of the current access */
    const tg_access_event *event;
    tg_race_memory *at;
    tg_race_access access;
    struct tg_race_known {
        uint32_t from, to;       /* to == 0: unknown */
    } known[TG_RACE_SETS_KNOWN]; /* recent transitions between sets */
    tg_grid grid;                /* of the run */
    uint32_t assumed;            /* axes, see tg_grid_assumed */
    bool is_incomplete;
} tg_races;

/* Before an access, most of its places have one of a few sets, and equal sets become equal sets.
 * Returns the entry that caches this transition. */
static inline struct tg_race_known *tg_race_known_of(tg_races *races, uint32_t set)
{
    struct tg_race_known *known = &races->known[set % TG_RACE_SETS_KNOWN];
    if (known->from != set || !known->to) *known = (struct tg_race_known){.from = set};
    return known;
}

#endif
