/* Binding a plan to an instruction set. */
#ifndef TG_INTERP_EXEC_BIND_H
#define TG_INTERP_EXEC_BIND_H

#include "interp/state/launch.h"

/* Looks up every element-wise function and measures all memory that machines need.  TG_ERR_UNSUPPORTED with
 * the op's place where the ISA's table lacks one, TG_ERR_NO_MEMORY. */
tg_status tg_launch_bind(tg_launch *launch, tg_diags *diags);
void tg_launch_unbind(tg_launch *launch);

#endif
