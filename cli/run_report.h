/* The report of one run, for people and as JSON. */
#ifndef TG_CLI_RUN_REPORT_H
#define TG_CLI_RUN_REPORT_H

#include "cli/reports.h"

/* Findings that nothing suppresses, each with the command that repeats it. */
void tg_cli_print_findings(const tg_cli_reports *reports, const tg_report *report);

/* "sequential: 1,024 programs, 1 thread, avx2, profile reference, 0.17 ms: " without the end of the
 * line. */
void tg_cli_print_stats(const tg_run_request *request, const tg_report *report);

/* ", none that --fail-on error asks for, 2 suppressed", as far as it is so: goes on with a line
 * about findings. */
void tg_cli_print_suppressed(const tg_cli_reports *reports, const tg_cli_tally *tally);

/* Order, programs, threads, instruction set, profile, seconds, findings and their tally, as members
 * of the open object. */
void tg_cli_json_run(tg_json_out *json, const tg_cli_reports *reports, const tg_report *report,
                     const tg_cli_tally *tally);

#endif
