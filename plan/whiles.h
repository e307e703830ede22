/* While loops: which of a program's values decide how a loop goes on. */
#ifndef TG_PLAN_WHILES_H
#define TG_PLAN_WHILES_H

#include "plan/plan.h"

/* Describes the while loops of a plan whose slots have their places (plan/allocate.h).
 * TG_ERR_NO_MEMORY. */
tg_status tg_plan_find_whiles(tg_plan *plan);

#endif
