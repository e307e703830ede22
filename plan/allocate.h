/* Assigns offsets in the workspace to slots. */
#ifndef TG_PLAN_ALLOCATE_H
#define TG_PLAN_ALLOCATE_H

#include "plan/plan.h"

/* Chooses workspace offsets by liveness.  Returns TG_ERR_NO_MEMORY if memory runs out. */
tg_status tg_plan_allocate(tg_plan *plan);

/* Returns the slot that represents all slots with which `slot` exchanges memory. */
tg_slot_id tg_plan_exchange_root(const tg_plan *plan, tg_slot_id slot);

#endif
