/* tilegrind crosscheck: its cases, its backends, and how their results are told. */
#ifndef TG_CLI_CROSSCHECK_H
#define TG_CLI_CROSSCHECK_H

#include "cli/json_out.h"
#include "conformance/crosscheck.h"

/* ---- crosscheck_cases.c ---- */

/* Folders with a case.json, each owned.  Zero-initialise. */
typedef struct tg_case_folders {
    char **list;
    size_t count, capacity;
} tg_case_folders;

/* Adds all cases in a folder and below, in order.  Returns 0, or an exit code after saying what is wrong. */
int tg_case_folders_find(tg_case_folders *folders, const char *path);
void tg_case_folders_free(tg_case_folders *folders);

/* ---- crosscheck_backends.c ---- */

enum { TG_BACKEND_TEXT = 32 };

/* Zero-initialise. */
typedef struct tg_backend_list {
    struct tg_backend_entry {
        char name[TG_BACKEND_TEXT];
        tg_device
            *gpu; /* held from one case to the next, as opening it takes long; NULL for others */
    } * list;
    const char **names; /* of all */
    size_t count;
} tg_backend_list;

/* Sets the list: those that `asked` names, separated by commas, or where it is NULL cpu, emulator and, where this machine
 * has one, gpu.  With `seeds` of more than 1 "emulator" is followed by "emulator:1" and so on.  Returns 0, or an exit
 * code after saying what is wrong: of a backend that this machine does not have, why. */
int tg_backend_list_make(tg_backend_list *list, const char *asked, int seeds);
void tg_backend_list_free(tg_backend_list *list);

/* ---- crosscheck_report.c ---- */

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

/* Tells and counts one result. */
void tg_cross_report_add(tg_cross_report *report, const char *path, const char *backend,
                         const tg_crosscheck *result);

/* Tells how many results there were of each kind. */
void tg_cross_report_end(const tg_cross_report *report);

#endif
