/* The cases below folders. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "cli/crosscheck_cases.h"

#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "cli/command.h"

enum { PATH_DEPTH = 16 };

static tg_case_folders found; /* nftw has no room for a context */

/* False without memory. */
static bool add(tg_case_folders *to, const char *path, size_t length)
{
    char **list = tg_list_grow(to->list, to->count, &to->capacity, sizeof *list);
    if (!list) return false;
    to->list = list;
    char *copy = malloc(length + 1);
    if (!copy) return false;
    memcpy(copy, path, length);
    copy[length] = '\0';
    to->list[to->count++] = copy;
    return true;
}

static int visit(const char *path, const struct stat *info, int kind, struct FTW *ftw)
{
    (void)info;
    if (kind != FTW_F || strcmp(path + ftw->base, "case.json") != 0) return 0;
    return add(&found, path, ftw->base > 1 ? (size_t)ftw->base - 1 : 1) ? 0 : -1;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int tg_case_folders_find(tg_case_folders *folders, const char *path)
{
    const size_t before = folders->count;
    found = *folders;
    const bool is_read = nftw(path, visit, PATH_DEPTH, FTW_PHYS) == 0;
    *folders = found;
    if (!is_read) {
        fprintf(stderr, "error: %s cannot be read\n", path);
        return TG_EXIT_USAGE;
    }
    if (folders->count == before) {
        fprintf(stderr, "error: %s is no case and has none below it\n", path);
        return TG_EXIT_USAGE;
    }
    qsort(folders->list + before, folders->count - before, sizeof *folders->list, by_name);
    return TG_EXIT_CLEAN;
}

void tg_case_folders_free(tg_case_folders *folders)
{
    for (size_t i = 0; i < folders->count; i++) free(folders->list[i]);
    free(folders->list);
    *folders = (tg_case_folders){0};
}
