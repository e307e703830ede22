/* Findings of a run, for people and as JSON. */
#ifndef TG_CLI_FINDINGS_H
#define TG_CLI_FINDINGS_H

#include "cli/json_out.h"
#include "tilegrind/tilegrind.h"

/* What, where, the source line, which program, and `repeat`: the command that shows it again. */
void tg_cli_print_finding(const tg_report *report, size_t index, const char *repeat);

/* A list under "findings". */
void tg_cli_json_findings(tg_json_out *json, const tg_report *report);

#endif
