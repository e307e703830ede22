/* tilegrind layout conflicts MEMORY: an operation of layout_ops.h. */
#ifndef TG_CLI_LAYOUT_CONFLICTS_H
#define TG_CLI_LAYOUT_CONFLICTS_H

#include "cli/layout_request.h"

int tg_cli_layout_conflicts(const tg_cli_layout *request, int count, char **operands);

#endif
