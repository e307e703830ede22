/* Results of the cross-check, as text, JSON and XML. */
#ifndef TG_CLI_CROSSCHECK_REPORT_H
#define TG_CLI_CROSSCHECK_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/json_out.h"
#include "tilegrind/crosscheck.h"

/* What results go to: as text to standard output, or as JSON there; and as XML too. */
typedef struct tg_cross_report {
    tg_json_out *json; /* NULL: text */
    FILE *xml;         /* NULL: none */
    const char *first; /* the backend that the others are compared with */
    bool is_fast;      /* there may be bounds */
    size_t cases, runs;
    size_t verdicts[TG_CROSS_FAILED + 1];
    double seconds;
} tg_cross_report;

/* Tells and counts one result of the check of a case. */
void tg_cross_report_add(tg_cross_report *report, const char *path, const tg_crosscheck *check,
                         size_t index);

/* Tells how many results there were of each kind. */
void tg_cross_report_end(const tg_cross_report *report);

#endif
