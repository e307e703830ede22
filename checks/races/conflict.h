/* Two source locations that conflict. */
#ifndef TG_CHECKS_RACES_CONFLICT_H
#define TG_CHECKS_RACES_CONFLICT_H

#include "checks/races/access_sets.h"

/* The first element at which they conflict, and what is known of all such elements. */
typedef struct tg_race_conflict {
    tg_race_access sides[2];
    bool differs;
    /* The axes on which the programs of the two locations differ, at any element. */
    uint32_t axes;
    int64_t first, last, count; /* elements */
    int64_t
        address; /* of the first one, in elements of the memory: in a physical run another number */
} tg_race_conflict;

/* Returns the rank of a conflict; of the conflicts between the same two source locations, the one
 * with the highest rank is reported. 2: a write and another access; 1: two writes of different
 * values (in another order the values may be equal, if the race decides what is written); 0: two
 * writes of equal values. */
int tg_race_rank(const tg_race_conflict *conflict);

/* Returns the lower program index of the two. */
int64_t tg_race_first_program(const tg_race_conflict *conflict);

#endif
