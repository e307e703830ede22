/* Findings as a log in SARIF 2.1.0 (OASIS): what code scanning of forges and editors reads. */
#ifndef TG_CLI_SARIF_H
#define TG_CLI_SARIF_H

#include "base/json_out.h"
#include "cli/run_request.h"
#include "cli/seen.h"
#include "base/file.h"

/* A log being written. */
typedef struct tg_sarif {
    tg_file_out file;
    tg_json_out json;
    tg_seen seen;
    char instead[4096]; /* the file to point at where a source is not known */
} tg_sarif;

/* Begins a log of one run in a temporary file beside `path`; ends with tg_sarif_finish or
 * tg_sarif_discard.  TG_ERR_IO where it cannot be written. */
tg_status tg_sarif_begin(tg_sarif *log, const char *path, const tg_run_request *request,
                         tg_diags *diags);

/* Adds a finding with the command that repeats it, and with what covers it (NULL: nothing).  One
 * that another order of the same case has shown just so is left out. */
void tg_sarif_add(tg_sarif *log, const tg_report *report, size_t index, const char *repeat,
                  const tg_suppression *known);

/* Ends the log with what was wrong besides, and renames it into place. */
tg_status tg_sarif_finish(tg_sarif *log, int exit_code, tg_diags *diags);
void tg_sarif_discard(tg_sarif *log);

/* sarif_place.c: members of the open object. */
/* "physicalLocation": line `line` of `file`; of the kernel file where the source is not known. */
void tg_sarif_place(tg_json_out *json, const char *file, int64_t line, const char *instead);
/* "partialFingerprints": the same for a finding as long as its source line reads the same, wherever
 * that stands. */
void tg_sarif_fingerprint(tg_json_out *json, const tg_report *report, size_t index);

#endif
