/* The slots from which values get into addresses: indices, masks and index maps. */
#ifndef TG_CHECKS_UNDEFINED_ADDRESSES_H
#define TG_CHECKS_UNDEFINED_ADDRESSES_H

#include "plan/plan.h"

/* Per slot of the plan whether it is one.  The caller frees it; NULL without memory. */
bool *tg_address_slots(const tg_plan *plan);

#endif
