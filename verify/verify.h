/* The verifier checks every rule of meaning; no other code does.  Loaders check the form; later
 * stages assume that both have been checked. */
#ifndef TG_VERIFY_VERIFY_H
#define TG_VERIFY_VERIFY_H

#include "ir/ir.h"

/* Checks all of `module` and reports every problem at its path ("/kernels/0/body/ops/4").  Returns
 * TG_OK or the status of the first problem. */
tg_status tg_module_verify(const tg_module *module, tg_diags *diags);

#endif
