/* tilegrind layout group: an operation of layout_ops.h. */
#ifndef TG_CLI_LAYOUT_GROUP_H
#define TG_CLI_LAYOUT_GROUP_H

#include "cli/layout_request.h"

int tg_cli_layout_group(const tg_cli_layout *request, int count, char **operands);

#endif
