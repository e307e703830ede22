/* Two places of the source that conflict. */
#ifndef TG_CHECKS_RACES_CONFLICT_H
#define TG_CHECKS_RACES_CONFLICT_H

#include "checks/races/access_sets.h"

/* The first element that they conflict at, and what is known of all of them. */
typedef struct tg_race_conflict {
    tg_race_access sides[2];
    bool differs;
    uint32_t axes;              /* on which the programs of the two places differ, at any element */
    int64_t first, last, count; /* elements */
} tg_race_conflict;

/* Of what conflicts in one place of the source, what is told: 2, a write and another access; 1, two
 * writes of different values (which may be the same in another order, where the race decides what
 * is written); 0, two of the same. */
int tg_race_rank(const tg_race_conflict *conflict);

/* The lesser program of the two. */
int64_t tg_race_first_program(const tg_race_conflict *conflict);

#endif
