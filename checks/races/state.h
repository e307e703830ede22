/* What the search for races keeps. */
#ifndef TG_CHECKS_RACES_STATE_H
#define TG_CHECKS_RACES_STATE_H

#include <pthread.h>

#include "checks/races/access_sets.h"
#include "checks/plane.h"
#include "checks/races/sync.h"
#include "interp/state/launch.h"
#include "plan/plan.h"

/* Memory that programs write, of one parameter or of several that share it. */
typedef struct tg_race_memory {
    bool is_watched;
    uint32_t same_as; /* the parameter that stands for all that share it */
    int64_t count;    /* places, of `width` bytes */
    size_t width;     /* the narrowest that any op touches */
    tg_plane plane;   /* per place: number of its access set */
} tg_race_memory;

/* Places that have been written before, as they were then: their bytes lie in `bytes` from `at`
 * on. */
typedef struct tg_race_snapshot {
    int64_t first, count;
    size_t at;
} tg_race_snapshot;

enum { TG_RACE_SETS_KNOWN = 8 };

typedef struct tg_races {
    const tg_launch *launch;
    const tg_plan *plan;
    tg_race_memory *memories; /* per param; of scratch without a plane */
    tg_race_memory *scratch;  /* that threads share, of each chain in flight */
    size_t scratch_count, scratch_room;
    tg_number_map scratch_numbers; /* by where it is */
    bool has_actors;               /* more than one: else nothing can conflict */
    bool is_ordered;               /* some atomic acquires: atomics order programs */
    bool *acquires;                /* per instruction of the body; is_ordered */
    tg_sync sync;                  /* is_ordered */
    bool adds_at_once;             /* add_update: else it is a read and a write */
    bool is_shared;
    /* Recursive: from the intent to write until it is done, so that threads do not write what
     * another one compares. */
    pthread_mutex_t lock;
    tg_access_sets sets;
    tg_race_snapshot *snapshots; /* of the op in the making */
    unsigned char *bytes;
    size_t snapshot_count, snapshot_room, byte_count, byte_room;
    /* of the access that is being looked at */
    const tg_access_event *event;
    tg_race_memory *at;
    tg_race_access access;
    struct tg_race_known {
        uint32_t from, to;       /* to == 0: not known */
    } known[TG_RACE_SETS_KNOWN]; /* what sets have become */
    tg_grid grid;                /* of the run */
    uint32_t assumed;            /* axes: tg_grid_assumed */
    bool is_incomplete;
} tg_races;

/* Most places of an access have one of a few sets before, and what becomes of each is the same: where
 * that is kept. */
static inline struct tg_race_known *tg_race_known_of(tg_races *races, uint32_t set)
{
    struct tg_race_known *known = &races->known[set % TG_RACE_SETS_KNOWN];
    if (known->from != set || !known->to) *known = (struct tg_race_known){.from = set};
    return known;
}

#endif
