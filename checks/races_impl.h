/* What the two halves of the search for races share: races.c, which watches, and races_report.c. */
#ifndef TG_CHECKS_RACES_IMPL_H
#define TG_CHECKS_RACES_IMPL_H

#include "checks/access_sets.h"
#include "checks/plane.h"
#include "checks/races.h"
#include "checks/sync.h"
#include "checks/touch_box.h"
#include "plan/plan.h"

/* Memory that programs write, of one parameter or of several that share it. */
typedef struct tg_race_memory {
    bool is_watched;
    uint32_t same_as; /* the parameter that stands for all that share it */
    int64_t count;    /* places, of `width` bytes */
    size_t width;     /* the narrowest that any op touches */
    tg_plane plane;   /* per place: number of its access set */
} tg_race_memory;

/* Places that have been written before, as they were then: their bytes lie in `bytes` from `at` on. */
typedef struct tg_race_snapshot {
    int64_t first, count;
    size_t at;
} tg_race_snapshot;

enum { TG_RACE_SETS_KNOWN = 8 };

struct tg_races {
    const tg_plan *plan;
    tg_race_memory *memories; /* per param */
    bool has_chains;          /* more than one: else nothing can conflict */
    bool is_ordered;          /* some atomic acquires: atomics order programs */
    bool *acquires;           /* per instruction of the body; is_ordered */
    tg_sync sync;             /* is_ordered */
    bool is_tpu;
    bool is_shared;
    /* Recursive: from the intent to write until it is done, so that threads do not write what another one compares. */
    pthread_mutex_t lock;
    tg_access_sets sets;
    tg_race_snapshot *snapshots; /* of the op in the making */
    unsigned char *bytes;
    size_t snapshot_count, snapshot_room, byte_count, byte_room;
    /* of the touch that is being looked at */
    const tg_touch *touch;
    tg_race_memory *at;
    tg_race_access access;
    struct tg_race_known {
        uint32_t from, to;       /* to == 0: not known */
    } known[TG_RACE_SETS_KNOWN]; /* what sets have become */
    tg_grid grid;                /* of the run */
    uint32_t assumed;            /* axes: tg_grid_assumed */
    bool is_incomplete;
};

/* Most places of a touch have one of a few sets before, and what becomes of each is the same: where that is kept. */
static inline struct tg_race_known *tg_race_known_of(tg_races *races, uint32_t set)
{
    struct tg_race_known *known = &races->known[set % TG_RACE_SETS_KNOWN];
    if (known->from != set || !known->to) *known = (struct tg_race_known){.from = set};
    return known;
}

/* races_values.c: before a touch is written, whose kind is TG_TOUCH_INTENT; and when it has been, which `races->touch` is. */
void tg_races_intend(tg_races *races, const tg_touch *touch);
void tg_races_compare(tg_races *races);

/* The instruction of a site. */
const tg_inst *tg_race_inst(const tg_plan *plan, uint32_t site);

/* Two places of the source that conflict: the first element and what is known of all of them. */
typedef struct tg_race_conflict {
    tg_race_access sides[2];
    bool differs;
    uint32_t axes;              /* on which the programs of the two places differ, at any element */
    int64_t first, last, count; /* elements */
} tg_race_conflict;

/* Of what conflicts in one place of the source, what is told: 2, a write and another access; 1, two writes of different values
 * (which may be the same in another order, where the race decides what is written); 0, two of the same. */
int tg_race_rank(const tg_race_conflict *conflict);

/* The lesser program of the two. */
int64_t tg_race_first_program(const tg_race_conflict *conflict);

/* races_told.c: adds the findings that the conflicts over the memory of one parameter make. */
void tg_races_tell(const tg_races *races, uint32_t param, const tg_race_conflict *list,
                   size_t count, tg_findings *findings);

#endif
