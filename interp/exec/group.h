/* Groups of element-wise ops. */
#ifndef TG_INTERP_EXEC_GROUP_H
#define TG_INTERP_EXEC_GROUP_H

#include "interp/state/machine.h"

/* Looks up the functions of the group `inst`, and computes how much memory it needs.  Returns
 * TG_ERR_UNSUPPORTED, with the op's source location, or TG_ERR_NO_MEMORY. */
tg_status tg_group_bind(tg_launch *launch, const tg_inst *inst, tg_bound_group *bound,
                        tg_diags *diags);

/* Computes the group's outputs. */
void tg_group_run(tg_machine *m, const tg_bound_group *bound);

#endif
