/* While loops: finds the values of a program that decide how a loop goes on. */
#ifndef TG_PLAN_WHILES_H
#define TG_PLAN_WHILES_H

#include "plan/plan.h"

/* Describes the while loops of a plan whose slots have been allocated (plan/allocate.h).  Returns
 * TG_ERR_NO_MEMORY if memory runs out. */
tg_status tg_plan_find_whiles(tg_plan *plan);

#endif
