/* What the checks of layouts share: where values are held, and how problems are told. */
#ifndef TG_PHYSICAL_DEMAND_H
#define TG_PHYSICAL_DEMAND_H

#include "physical/held.h"
#include "physical/problem.h"
#include "physical/want.h"

typedef struct tg_demands {
    tg_held held; /* of the kernel that is checked */
    tg_problems *problems;
} tg_demands;

/* Checks that a value is held where it is wanted; `what` names it in messages, as "operand 1".  Returns
 * whether it is. */
bool tg_demand_want(tg_demands *d, const tg_op *op, const char *what, const tg_want *want);

/* Tells the first of `diags`, of a check that could not be made or that failed. */
void tg_demand_failed(tg_demands *d, const tg_op *op, tg_problem_kind kind, const char *what,
                      const tg_diags *diags);

#endif
