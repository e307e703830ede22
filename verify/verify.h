/* The verifier: the one owner of every rule about meaning.  Loaders check form, handlers assume
 * both. */
#ifndef TG_VERIFY_VERIFY_H
#define TG_VERIFY_VERIFY_H

#include "ir/ir.h"

/* Checks all of `module` and reports everything that is wrong, each at its path
 * ("/kernels/0/body/ops/4"). Returns TG_OK or the status of the first problem. */
tg_status tg_module_verify(const tg_module *module, tg_diags *diags);

#endif
