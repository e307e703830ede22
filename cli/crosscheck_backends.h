/* The backends that are held against each other. */
#ifndef TG_CLI_CROSSCHECK_BACKENDS_H
#define TG_CLI_CROSSCHECK_BACKENDS_H

#include <stddef.h>

#include "cli/command.h"
#include "tilegrind/gpu.h"

enum { TG_BACKEND_TEXT = 32 };

/* Zero-initialise. */
typedef struct tg_backend_list {
    struct tg_backend_entry {
        char name[TG_BACKEND_TEXT];
        tg_gpu_kept *gpu; /* from one case to the next; NULL for others */
    } * list;
    const char **names; /* of all */
    size_t count;
} tg_backend_list;

/* Sets the list for a command: those that `asked` names, separated by commas, or where it is NULL
 * cpu, emulator and, where this machine has one, gpu.  With `seeds` of more than 1 "emulator" is
 * followed by "emulator:1" and so on.  Returns 0, or an exit code after saying what is wrong: of a
 * backend that this machine does not have, why. */
int tg_backend_list_make(tg_backend_list *list, const tg_cli_command *command, const char *asked,
                         int seeds);
void tg_backend_list_free(tg_backend_list *list);

#endif
