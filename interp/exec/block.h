/* The blocks of parameters that a program gets. */
#ifndef TG_INTERP_EXEC_BLOCK_H
#define TG_INTERP_EXEC_BLOCK_H

#include "interp/state/machine.h"

/* Computes the program's block of the parameter, m->refs[param], and reports one outside its
 * array. */
void tg_ref_start(tg_machine *m, uint32_t param);

#endif
