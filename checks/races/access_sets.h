/* Access sets: who has accessed a place.  A set has a number, and is stored once however many
 * places have it.
 *
 * If only chains order programs (interp/state/order.h), a set keeps of the accesses by one op only
 * those that can matter to a race: the two actors with the lowest numbers, with the first program
 * of each, and the axes on which the programs of that op differ.  This tells exactly whether two
 * ops conflict at a place, and the programs named in a finding do not depend on the order in which
 * the programs ran.
 *
 * If atomics order programs too, it matters which actors knew of each other at the time.  Each
 * access is then compared with the earlier ones, conflicts are stored when they are found, and an
 * access is dropped once a later one stands for it. */
#ifndef TG_CHECKS_RACES_ACCESS_SETS_H
#define TG_CHECKS_RACES_ACCESS_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "checks/races/sites.h"
#include "plan/grid.h"

typedef struct tg_race_access {
    uint32_t site;
    union {
        uint32_t epoch; /* where atomics order programs: the epoch of its actor (sync.h) */
        /* Otherwise: the axes on which any programs differ that the set has at this site. */
        uint32_t axes;
    };
    /* The actor (interp/state/actors.h) and the program index. */
    int64_t actor, program;
} tg_race_access;

typedef struct tg_access_set {
    uint32_t count, conflict_count;
    bool differs; /* more than one value has been written */
    /* By site, then actor; followed by two accesses for each conflict that was found. */
    tg_race_access *list;
} tg_access_set;

typedef struct tg_access_sets {
    tg_access_set *list; /* [0] is the empty set */
    uint32_t count;
    size_t room;
    struct tg_set_slot {
        uint32_t set, hash; /* the number of a set, or 0; with it most other sets are passed over */
    } * table;              /* open addressing */
    uint32_t table_size;
    tg_race_access *scratch;
    uint32_t scratch_room;
    struct tg_set_block *blocks; /* memory of the sets' accesses */
    const tg_grid *grid;         /* NULL: the axes on which programs differ are not needed */
    bool is_incomplete;          /* something was lost because memory or numbers ran out */
} tg_access_sets;

/* `grid` gives the axes on which programs differ, and may be NULL.  Returns false if memory runs
 * out. */
bool tg_access_sets_init(tg_access_sets *sets, const tg_grid *grid);
void tg_access_sets_free(tg_access_sets *sets);

/* Returns the number of the set that `set` becomes after another access to the place, or when
 * written values are known to differ. */
uint32_t tg_access_sets_add(tg_access_sets *sets, uint32_t set, const tg_race_access *access);
uint32_t tg_access_sets_differ(tg_access_sets *sets, uint32_t set);

/* How an access relates to an earlier access. */
typedef enum tg_race_relation {
    TG_RACE_CONFLICT,
    TG_RACE_KEPT,    /* no conflict, but later accesses may conflict with the earlier one */
    TG_RACE_REPLACED /* they conflict with the later one as well */
} tg_race_relation;
typedef tg_race_relation tg_race_relate(void *context, const tg_race_access *access,
                                        const tg_race_access *done);

/* Like tg_access_sets_add, where atomics order programs. */
uint32_t tg_access_sets_add_ordered(tg_access_sets *sets, uint32_t set,
                                    const tg_race_access *access, tg_race_relate *relate,
                                    void *context);

#endif
