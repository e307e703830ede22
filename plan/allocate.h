/* Where slots lie in the workspace. */
#ifndef TG_PLAN_ALLOCATE_H
#define TG_PLAN_ALLOCATE_H

#include "plan/plan.h"

/* Chooses workspace offsets by liveness.  TG_ERR_NO_MEMORY. */
tg_status tg_plan_allocate(tg_plan *plan);

/* The slot that stands for all those with which `slot` exchanges memory. */
tg_slot_id tg_plan_exchange_root(const tg_plan *plan, tg_slot_id slot);

#endif
