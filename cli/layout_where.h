/* tilegrind layout where and injective: operations of layout_ops.h. */
#ifndef TG_CLI_LAYOUT_WHERE_H
#define TG_CLI_LAYOUT_WHERE_H

#include "cli/layout_request.h"

int tg_cli_layout_where(const tg_cli_layout *request, int count, char **operands);

int tg_cli_layout_injective(const tg_cli_layout *request, int count, char **operands);

#endif
