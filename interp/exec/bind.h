/* Binding a plan to an instruction set. */
#ifndef TG_INTERP_EXEC_BIND_H
#define TG_INTERP_EXEC_BIND_H

#include "interp/state/launch.h"

/* Looks up every element-wise function and computes how much memory machines need.  Returns
 * TG_ERR_UNSUPPORTED, with the op's source location, if the table of the instruction set lacks a
 * function, or TG_ERR_NO_MEMORY. */
tg_status tg_launch_bind(tg_launch *launch, tg_diags *diags);
void tg_launch_unbind(tg_launch *launch);

#endif
