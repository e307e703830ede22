/* A machine's memory. */
#ifndef TG_INTERP_EXEC_STORAGE_H
#define TG_INTERP_EXEC_STORAGE_H

#include "interp/state/machine.h"

/* A machine of the launch, which outlives it.  NULL without memory. */
tg_machine *tg_machine_new(tg_launch *launch);
void tg_machine_free(tg_machine *m); /* NULL is fine */

#endif
