/* tilegrind layout plan FROM TO: an operation of layout_ops.h. */
#ifndef TG_CLI_LAYOUT_PLAN_H
#define TG_CLI_LAYOUT_PLAN_H

#include "cli/layout_request.h"

int tg_cli_layout_plan(const tg_cli_layout *request, int count, char **operands);

#endif
