/* The memory of a machine. */
#ifndef TG_INTERP_EXEC_STORAGE_H
#define TG_INTERP_EXEC_STORAGE_H

#include "interp/state/machine.h"

/* Makes a machine of the launch; the launch must outlive it.  Returns NULL if memory runs out. */
tg_machine *tg_machine_new(tg_launch *launch);
void tg_machine_free(tg_machine *m); /* NULL is fine */

#endif
