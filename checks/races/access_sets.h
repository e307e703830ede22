/* Who has touched a place, as a number: sets of accesses, each made once however many places have
 * it.
 *
 * Where nothing but chains orders programs (interp/state/order.h), what is kept of the accesses by
 * one op is what can matter to a race: the two actors of least number, of each the least program;
 * and on which axes the programs of that op differ.  Whether two ops conflict at a place is then
 * known exactly, and who is named does not depend on the order in which the programs ran.
 *
 * Where atomics order programs too, it matters who knew of whom at the time: each access is
 * compared with those before it, conflicts are kept as they are found, and of the accesses those
 * that a later one does not stand for. */
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
        uint32_t epoch; /* where atomics order programs: of its actor (sync.h) */
        uint32_t axes; /* else: on which all programs that the set stands for at this site differ */
    };
    int64_t actor, program; /* see interp/state/actors.h; the program by its place in the grid */
} tg_race_access;

typedef struct tg_access_set {
    uint32_t count, conflict_count;
    bool differs;         /* more than one value has been written */
    tg_race_access *list; /* by site, then actor; then two for each conflict that has been found */
} tg_access_set;

typedef struct tg_access_sets {
    tg_access_set *list; /* [0] is the empty set */
    uint32_t count;
    size_t room;
    uint32_t *table; /* open addressing: number of a set, or 0 */
    uint32_t table_size;
    tg_race_access *scratch;
    uint32_t scratch_room;
    struct tg_set_block *blocks; /* memory of the sets' accesses */
    const tg_grid *grid;         /* NULL: nobody asks on which axes programs differ */
    bool is_incomplete;          /* something was lost: memory is exhausted, or numbers are */
} tg_access_sets;

/* `grid`, which may be NULL, is asked on which axes programs differ.  False without memory. */
bool tg_access_sets_init(tg_access_sets *sets, const tg_grid *grid);
void tg_access_sets_free(tg_access_sets *sets);

/* The number of the set that `set` becomes when the place has been touched as well, or when values
 * are known to differ. */
uint32_t tg_access_sets_add(tg_access_sets *sets, uint32_t set, const tg_race_access *access);
uint32_t tg_access_sets_differ(tg_access_sets *sets, uint32_t set);

/* What there is between an access and one that was done before, of another actor. */
typedef enum tg_race_relation {
    TG_RACE_UNORDERED,
    TG_RACE_ORDERED,  /* the later one may rely on it */
    TG_RACE_IN_FLIGHT /* of a copy and who started it, or two such copies: checks/in_flight.c */
} tg_race_relation;
typedef tg_race_relation tg_race_relate(void *context, const tg_race_access *access,
                                        const tg_race_access *done);

/* As tg_access_sets_add where atomics order programs. */
uint32_t tg_access_sets_add_ordered(tg_access_sets *sets, uint32_t set,
                                    const tg_race_access *access, tg_race_relate *relate,
                                    void *context);

#endif
