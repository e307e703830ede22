/* Who has touched a place, as a number: sets of accesses, each made once however many places have it.
 *
 * What is kept of the accesses by one op is what can matter to a race: the two chains of programs (interp/order.h) of least number,
 * of each the least program.  Whether two ops conflict at a place is then known exactly, and who is named does not depend on
 * the order in which the programs ran. */
#ifndef TG_INTERP_CHECKS_ACCESS_SETS_H
#define TG_INTERP_CHECKS_ACCESS_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A program by its place in the grid, and its chain. */
typedef struct tg_actor {
    int64_t chain, program;
} tg_actor;

/* The accesses of one op; `site` says which one and whether it reads, writes or does both at once. */
typedef struct tg_site_accesses {
    uint32_t site;
    uint32_t actor_count; /* 1 or 2: of different chains, ascending */
    tg_actor actors[2];
} tg_site_accesses;

typedef struct tg_access_set {
    uint32_t site_count;
    bool differs;            /* more than one value has been written */
    tg_site_accesses *sites; /* ascending */
} tg_access_set;

typedef struct tg_access_sets {
    tg_access_set *list; /* [0] is the empty set */
    uint32_t count, room;
    uint32_t *table; /* open addressing: number of a set, or 0 */
    uint32_t table_size;
    tg_site_accesses *scratch;
    uint32_t site_room;
    struct tg_set_block *blocks; /* memory of the sets' sites */
    bool is_incomplete;          /* something was lost: memory is exhausted, or numbers are */
} tg_access_sets;

/* `sites`: how many different ones there may be.  False without memory. */
bool tg_access_sets_init(tg_access_sets *sets, uint32_t sites);
void tg_access_sets_free(tg_access_sets *sets);

/* The number of the set that `set` becomes when `actor` has touched the place as well, or when values are known to differ. */
uint32_t tg_access_sets_add(tg_access_sets *sets, uint32_t set, uint32_t site, tg_actor actor);
uint32_t tg_access_sets_differ(tg_access_sets *sets, uint32_t set);

#endif
