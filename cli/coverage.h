/* How many programs wrote the elements of each output, for people and as JSON. */
#ifndef TG_CLI_COVERAGE_H
#define TG_CLI_COVERAGE_H

#include "base/json_out.h"
#include "tilegrind/tilegrind.h"

/* A line for each output; none without check "coverage". */
void tg_cli_print_coverage(const tg_report *report);

/* Member "coverage" of the open object; none without that check. */
void tg_cli_json_coverage(tg_json_out *json, const tg_report *report);

#endif
