/* The costs of accesses that a machine has made before: most programs make the same ones, at other
 * places. */
#ifndef TG_CHECKS_MEMORY_COST_KNOWN_H
#define TG_CHECKS_MEMORY_COST_KNOWN_H

#include "checks/memory_cost/cost.h"
#include "interp/memory/box.h"

/* Accesses with the same key have the same cost. */
typedef struct tg_cost_key {
    int rank;
    int64_t phase; /* of the first element: in bytes from where costs repeat themselves */
    int64_t low[TG_MAX_RANK], high[TG_MAX_RANK], stride[TG_MAX_RANK];
} tg_cost_key;

/* An access whose addresses, from byte `origin` on, repeat their costs every `period` bytes; 0: not at
 * all.  Returns false if it has no key: what it costs depends on more than a box. */
bool tg_cost_key_of(const tg_machine *m, const tg_access_plan *access, int64_t origin,
                    int64_t period, tg_cost_key *key, int64_t *first_byte);
bool tg_cost_key_same(const tg_cost_key *a, const tg_cost_key *b);

enum { TG_KNOWN_COSTS = 8 };

/* Of one instruction of a plan; zero-initialise. */
typedef struct tg_known_costs {
    struct tg_known_cost {
        tg_cost_key key;
        int64_t first_byte;
        tg_access_cost cost;
        bool is_assumed;
    } list[TG_KNOWN_COSTS];
    int count, next;
} tg_known_costs;

/* NULL: it is not known.  The addresses of a cost that is known are those of another access:
 * first_byte apart. */
const struct tg_known_cost *tg_known_cost_find(const tg_known_costs *known, const tg_cost_key *key);
void tg_known_cost_keep(tg_known_costs *known, const struct tg_known_cost *cost);

#endif
