/* The plan as text. */
#ifndef TG_PLAN_PRINT_H
#define TG_PLAN_PRINT_H

#include "plan/plan.h"

/* One line per instruction; the caller frees it.  NULL without memory. */
char *tg_print_plan(const tg_plan *plan);

#endif
