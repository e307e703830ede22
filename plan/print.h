/* The plan as text. */
#ifndef TG_PLAN_PRINT_H
#define TG_PLAN_PRINT_H

#include "plan/plan.h"

/* Returns a text with one line per instruction, which the caller frees; NULL if memory runs out. */
char *tg_print_plan(const tg_plan *plan);

#endif
