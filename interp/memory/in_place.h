/* Slots that may be in memory: set where the value of a slot is now. */
#ifndef TG_INTERP_MEMORY_IN_PLACE_H
#define TG_INTERP_MEMORY_IN_PLACE_H

#include "interp/memory/box.h"

static inline void tg_use_memory(tg_machine *m, tg_slot_id slot, const tg_box *box, tg_dtype dtype)
{
    m->slot[slot] = box->data + box->origin * tg_dtypes[dtype].bytes;
    m->storage[slot] = TG_STORAGE_MEMORY;
}

static inline void tg_use_workspace(tg_machine *m, tg_slot_id slot)
{
    m->slot[slot] = m->workspace + m->launch->plan->slots[slot].offset;
    m->storage[slot] = TG_STORAGE_DENSE;
}

#endif
