/* The report of one run, for people and as JSON. */
#ifndef TG_CLI_RUN_REPORT_H
#define TG_CLI_RUN_REPORT_H

#include "cli/json_out.h"
#include "cli/run_request.h"
#include "tilegrind/tilegrind.h"

/* The command that repeats a run which went in `order`. */
enum { TG_CLI_REPEAT = 4096 };
void tg_cli_repeat(const tg_run_request *request, const char *order, char out[TG_CLI_REPEAT]);

/* Findings, each with the command that repeats it. */
void tg_cli_print_findings(const tg_run_request *request, const tg_report *report);

/* "sequential: 1,024 programs, 1 thread, avx2, profile reference, 0.17 ms: " without the end of the line. */
void tg_cli_print_stats(const tg_run_request *request, const tg_run_stats *stats);

/* Order, programs, threads, instruction set, profile, seconds and findings, as members of the open object. */
void tg_cli_json_run(tg_json_out *json, const tg_run_request *request, const tg_report *report);

#endif
