/* Modules as the public interface takes them. */
#ifndef TG_API_MODULE_H
#define TG_API_MODULE_H

#include "base/diag.h"
#include "ir/ir.h"

/* The kernel of that name (NULL: the first), or NULL. */
const tg_kernel *tg_api_kernel(const tg_module *module, const char *name);

/* Says that the module has no kernel of that name; every module has a first one.  Returns
 * TG_ERR_USAGE. */
tg_status tg_api_no_kernel(const char *name, tg_diags *diags);

#endif
