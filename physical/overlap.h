/* Layouts that give two elements one place. */
#ifndef TG_PHYSICAL_OVERLAP_H
#define TG_PHYSICAL_OVERLAP_H

#include "physical/demand.h"

/* Checks the layout of a param, and the layouts of the results of an op, and of arguments of its regions. */
void tg_overlap_check_param(tg_demands *d, uint32_t param);
void tg_overlap_check(tg_demands *d, const tg_op *op);

#endif
