/* The operations of tilegrind layout. */
#ifndef TG_CLI_LAYOUT_OPS_H
#define TG_CLI_LAYOUT_OPS_H

#include "cli/layout_request.h"

/* An operation: `tilegrind layout NAME OPERANDS`. */
typedef struct tg_cli_layout_op {
    const char *name, *operands, *help;
    int least, most; /* operands */
    int (*run)(const tg_cli_layout *request, int count, char **operands);
} tg_cli_layout_op;

extern const tg_cli_layout_op tg_cli_layout_ops[]; /* the last has no name */

#endif
