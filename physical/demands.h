/* What ops demand of the layouts of their operands, and whether the kernel's layouts are so.
 *
 * Only what the kernel says counts: an operand of which no layout is known is not checked. */
#ifndef TG_PHYSICAL_DEMANDS_H
#define TG_PHYSICAL_DEMANDS_H

#include "physical/problem.h"

/* Whether the kernel says anything of layouts. */
bool tg_kernel_has_layouts(const tg_kernel *kernel);

/* Tells each problem of a verified kernel, in the order of its ops, params first.  Returns
 * TG_ERR_NO_MEMORY if not all could be looked at. */
tg_status tg_demands_check(const tg_kernel *kernel, tg_problems *problems);

#endif
