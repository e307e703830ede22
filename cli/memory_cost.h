/* What accesses to memory cost, for people and as JSON. */
#ifndef TG_CLI_MEMORY_COST_H
#define TG_CLI_MEMORY_COST_H

#include "base/json_out.h"
#include "tilegrind/tilegrind.h"

/* A line for each op and memory of a source line; none without check "memory-cost". */
void tg_cli_print_memory_cost(const tg_report *report);

/* Member "memory_cost" of the open object; none without that check. */
void tg_cli_json_memory_cost(tg_json_out *json, const tg_report *report);

#endif
