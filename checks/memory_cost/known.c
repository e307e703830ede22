#include "checks/memory_cost/known.h"

#include <string.h>

#include "interp/memory/mask.h"

bool tg_cost_key_of(const tg_machine *m, const tg_access_plan *access, int64_t origin,
                    int64_t period, tg_cost_key *key, int64_t *first_byte)
{
    tg_box box;
    if (tg_access_is_scattered(m, access, &box)) return false;
    if (access->has_mask && !tg_mask_is_full(m, access)) return false;
    *first_byte = box.origin * tg_dtypes[access->dtype].bytes;
    key->rank = box.rank;
    const int64_t from = *first_byte - origin;
    key->phase = period ? (from % period + period) % period : from;
    for (int d = 0; d < box.rank; d++) { /* a box may have no more entries */
        key->low[d] = box.low[d];
        key->high[d] = box.high[d];
        key->stride[d] = box.stride[d];
    }
    return true;
}

bool tg_cost_key_same(const tg_cost_key *a, const tg_cost_key *b)
{
    const size_t bytes = (size_t)a->rank * sizeof *a->low;
    return a->rank == b->rank && a->phase == b->phase && memcmp(a->low, b->low, bytes) == 0 &&
           memcmp(a->high, b->high, bytes) == 0 && memcmp(a->stride, b->stride, bytes) == 0;
}

const struct tg_known_cost *tg_known_cost_find(const tg_known_costs *known, const tg_cost_key *key)
{
    for (int i = 0; i < known->count; i++)
        if (tg_cost_key_same(&known->list[i].key, key)) return &known->list[i];
    return NULL;
}

void tg_known_cost_keep(tg_known_costs *known, const struct tg_known_cost *cost)
{
    known->list[known->next] = *cost;
    known->next = (known->next + 1) % TG_KNOWN_COSTS;
    if (known->count < TG_KNOWN_COSTS) known->count++;
}
