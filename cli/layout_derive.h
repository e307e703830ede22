/* tilegrind layout: the operations whose result is a layout. */
#ifndef TG_CLI_LAYOUT_DERIVE_H
#define TG_CLI_LAYOUT_DERIVE_H

#include "cli/layout_request.h"

typedef struct tg_cli_layout_args {
    const tg_cli_layout *request;
    tg_layout *layout[2];
    tg_cli_shape shape[2], whole; /* whole: --shape, or all elements as one dimension */
    int layouts, shapes;
    int64_t number;
    const char *text; /* NULL if it is missing */
} tg_cli_layout_args;

typedef struct tg_cli_derivation {
    const char *name, *operands; /* the operands in words */
    const char
        *takes; /* a letter for each: L layout, S shape, N number, A text; small: may be missing */
    tg_status (*make)(const tg_cli_layout_args *args, tg_layout **out);
} tg_cli_derivation;

extern const tg_cli_derivation tg_cli_derivations[]; /* the last has no name */

/* Reads the operands, makes the layout, and prints it in its canonical form. */
int tg_cli_layout_derive(const tg_cli_layout *request, const tg_cli_derivation *op, int count,
                         char **operands);

#endif
