/* The slots whose values become part of addresses: of indices, masks and results of index maps. */
#ifndef TG_CHECKS_UNDEFINED_ADDRESSES_H
#define TG_CHECKS_UNDEFINED_ADDRESSES_H

#include "plan/plan.h"

/* Returns a flag per slot of the plan: whether its values become part of an address.  The caller
 * frees it.  Returns NULL if memory runs out. */
bool *tg_address_slots(const tg_plan *plan);

#endif
