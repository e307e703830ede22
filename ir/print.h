/* Printers: canonical JSON, which the loader reads back identically, and text in the style of a
 * jaxpr. */
#ifndef TG_IR_PRINT_H
#define TG_IR_PRINT_H

#include "ir/ir.h"

/* The language version in printed modules. */
#define TG_IR_VERSION "0.1"

/* Both return a NUL-terminated text that the caller frees with free(), or NULL if memory runs
 * out. */
char *tg_print_json(const tg_module *module);
char *tg_print_text(const tg_module *module);

#endif
