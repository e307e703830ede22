/* The cases below folders. */
#ifndef TG_CLI_CROSSCHECK_CASES_H
#define TG_CLI_CROSSCHECK_CASES_H

#include <stddef.h>

/* Folders with a case.json, each owned.  Zero-initialise. */
typedef struct tg_case_folders {
    char **list;
    size_t count, capacity;
} tg_case_folders;

/* Adds all cases in a folder and below, in order.  Returns 0, or an exit code after saying what is
 * wrong. */
int tg_case_folders_find(tg_case_folders *folders, const char *path);
void tg_case_folders_free(tg_case_folders *folders);

#endif
