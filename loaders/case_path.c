#define _XOPEN_SOURCE 700 /* realpath */
#include "loaders/case_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int has_parent_step(const char *name)
{
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return 1;
    }
    return 0;
}

const char *tg_case_name_problem(const char *name)
{
    if (!name[0]) return "is empty";
    if (name[0] == '/') return "is an absolute path";
    if (strchr(name, '\\')) return "has a backslash";
    return has_parent_step(name) ? "leaves the folder of the case" : NULL;
}

static int is_inside(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    if (strcmp(folder, "/") == 0) return 1;
    return strncmp(folder, path, length) == 0 && path[length] == '/';
}

char *tg_case_resolve(const char *folder, const char *name, tg_status *status, const char **why)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *joined = malloc(size), *real = NULL, *real_folder = realpath(folder, NULL);
    *status = TG_ERR_NO_MEMORY;
    *why = "memory is exhausted";
    if (joined) {
        snprintf(joined, size, "%s/%s", folder, name);
        real = realpath(joined, NULL);
        if (!real || !real_folder) {
            *status = errno == ENOMEM ? TG_ERR_NO_MEMORY : TG_ERR_IO;
            *why = "there is no such file";
        } else if (!is_inside(real_folder, real)) {
            *status = TG_ERR_INVALID;
            *why = "it is a link to outside the folder of the case";
        } else {
            *status = TG_OK;
        }
    }
    free(real);
    free(real_folder);
    if (*status == TG_OK) return joined;
    free(joined);
    return NULL;
}
