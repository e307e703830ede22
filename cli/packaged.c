#define _GNU_SOURCE /* readlink */
#include "cli/packaged.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

static const struct {
    const char *name, *summary;
} packaged[] = {
#define TG_PACKAGED(name, summary) {name, summary},
#include "cli/packaged.def"
};
enum { PACKAGED_COUNT = sizeof packaged / sizeof *packaged };

bool tg_cli_is_packaged(const char *name)
{
    for (size_t i = 0; i < PACKAGED_COUNT; i++)
        if (strcmp(packaged[i].name, name) == 0) return true;
    return false;
}

void tg_cli_list_packaged(void)
{
    for (size_t i = 0; i < PACKAGED_COUNT; i++)
        printf("  %-10s %s\n", packaged[i].name, packaged[i].summary);
}

/* The folder of this program, with a slash; "" where the system does not tell. */
static void own_folder(char *out, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", out, size - 1);
    out[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(out, '/');
    if (slash) slash[1] = '\0';
}

int tg_cli_execute_packaged(char **argv)
{
    const char *name = argv[0];
    char folder[PATH_MAX], path[PATH_MAX + 64];
    own_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%stilegrind-%s", folder, name);
    fflush(NULL);
    if (*folder) execv(path, argv);
    const char *program = path + strlen(folder);
    execvp(program, argv);
    fprintf(stderr,
            "tilegrind: %s is a command of the Python package (pip install tilegrind); the program "
            "%s is neither in %s nor on PATH: %s\n",
            name, program, *folder ? folder : ".", strerror(errno));
    return TG_EXIT_USAGE;
}
