/* Groups that find their operands where layouts have placed them. */
#ifndef TG_PLAN_PLACED_H
#define TG_PLAN_PLACED_H

#include "plan/plan.h"

/* Looks for groups whose blocks are all placed alike in memory of the program: loaded from there before,
 * or stored there behind.  An element-wise op may take elements in any order, so such a group works right
 * in that memory, in the order that the elements have there, and these loads and stores have nothing to
 * move.  Sets `placed` of the groups, and `is_placed` of the loads and stores.  Comes before
 * tg_plan_allocate.  Returns TG_ERR_NO_MEMORY if memory runs out. */
tg_status tg_plan_find_placed(tg_plan *plan);

#endif
