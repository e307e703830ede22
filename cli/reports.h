/* What becomes of the findings of a command: which of them are known, which make it fail, and the
 * files that they are written to besides standard output. */
#ifndef TG_CLI_REPORTS_H
#define TG_CLI_REPORTS_H

#include "cli/sarif.h"
#include "base/text.h"
#include "tilegrind/case.h"

/* Those of one command, over all its runs. */
typedef struct tg_cli_reports {
    const tg_run_request *request;
    tg_suppressions *known; /* NULL: no suppressions were asked for */
    size_t *uses;           /* of each of them */
    bool *is_concerned;     /* whether it is about a kernel that ran */
    tg_sarif *sarif;        /* NULL: none */
    tg_text blocks;         /* suppressions of what was found */
    tg_seen seen;           /* the blocks in it */
} tg_cli_reports;

/* Findings of a run by what they mean for the command. */
typedef struct tg_cli_tally {
    size_t suppressed;
    size_t left;       /* the others */
    size_t unexpected; /* of these those that the case does not expect; without a case all */
    size_t failing;    /* of these those that --fail-on asks for */
} tg_cli_tally;

/* Reads the suppressions and begins the files that the request names.  Before all else; ends with
 * tg_cli_reports_finish and tg_cli_reports_free, also after a failure. */
tg_status tg_cli_reports_begin(tg_cli_reports *reports, const tg_run_request *request,
                               tg_diags *diags);

/* Takes note of a run of `kernel`, of `c` where it is one of a case; once for each. */
tg_cli_tally tg_cli_reports_add(tg_cli_reports *reports, const char *kernel, const tg_case *c,
                                const tg_report *report);

/* Whether a suppression covers a finding, and which. */
bool tg_cli_is_known(const tg_cli_reports *reports, const tg_report *report, size_t index,
                     tg_suppression *out);

/* Ends the files.  `exit_code` is that of the command, whose errors are in `diags`.  TG_ERR_IO
 * where one cannot be written. */
tg_status tg_cli_reports_finish(tg_cli_reports *reports, int exit_code, tg_diags *diags);

/* What the suppressions were of use for; and blocks, where they go to standard output. */
void tg_cli_reports_print(const tg_cli_reports *reports);
void tg_cli_reports_json(const tg_cli_reports *reports, tg_json_out *json);

void tg_cli_reports_free(tg_cli_reports *reports);

/* Whether --fail-on knows a level of that name: "error", "warning", "note", "advice" or "never"; and
 * what it is where not given. */
bool tg_cli_is_level(const char *name);
const char *tg_cli_least_level(const tg_run_request *request);

#endif
