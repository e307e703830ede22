/* Printers: canonical JSON, which the loader reads back identically, and text that reads like a
 * jaxpr. */
#ifndef TG_IR_PRINT_H
#define TG_IR_PRINT_H

#include "ir/ir.h"

/* The version of the language that printed modules state. */
#define TG_IR_VERSION "0.1"

/* Both return a NUL-terminated text that the caller frees with free(), or NULL without memory. */
char *tg_print_json(const tg_module *module);
char *tg_print_text(const tg_module *module);

#endif
