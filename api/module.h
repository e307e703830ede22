/* Modules as the public interface takes them. */
#ifndef TG_API_MODULE_H
#define TG_API_MODULE_H

#include "ir/ir.h"

/* The kernel of that name (NULL: the first), or NULL. */
const tg_kernel *tg_api_kernel(const tg_module *module, const char *name);

#endif
