/* The backends that are held against each other. */
#include "cli/crosscheck_backends.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/errors.h"
#include "tilegrind/crosscheck.h"

static int add(tg_backend_list *to, const char *name, tg_gpu_kept *gpu)
{
    struct tg_backend_entry *list = realloc(to->list, (to->count + 1) * sizeof *list);
    if (!list) {
        tg_gpu_release(gpu);
        return tg_cli_no_memory();
    }
    to->list = list;
    list[to->count].gpu = gpu;
    snprintf(list[to->count++].name, TG_BACKEND_TEXT, "%s", name);
    return TG_EXIT_CLEAN;
}

/* Adds a backend unless this machine does not have it. */
static int add_checked(tg_backend_list *to, const char *name)
{
    tg_gpu_kept *gpu;
    tg_errors *errors = tg_errors_new();
    if (!errors) return tg_cli_no_memory();
    const tg_status status = tg_gpu_keep(name, &gpu, errors);
    tg_cli_print_errors(errors);
    tg_errors_free(errors);
    return status == TG_OK ? add(to, name, gpu) : tg_status_exit(status);
}

/* Each order of warps is a backend of its own. */
static int add_seeds(tg_backend_list *to, int seeds)
{
    int code = TG_EXIT_CLEAN;
    for (int seed = 1; seed < seeds && code == TG_EXIT_CLEAN; seed++) {
        char name[TG_BACKEND_TEXT];
        snprintf(name, sizeof name, "emulator:%d", seed);
        code = add(to, name, NULL);
    }
    return code;
}

static int add_asked(tg_backend_list *to, const tg_cli_command *command, const char *asked,
                     int seeds)
{
    for (const char *at = asked;;) {
        const size_t length = strcspn(at, ",");
        char name[TG_BACKEND_TEXT];
        if (length == 0 || length >= sizeof name)
            return tg_cli_usage(
                command, "--backends takes names with commas between them, not \"%s\"", asked);
        memcpy(name, at, length);
        name[length] = '\0';
        const bool is_of_case = tg_crosscheck_is_triton_ptx(name, &(uint64_t){0});
        int code = is_of_case ? add(to, name, NULL) : add_checked(to, name);
        if (code == TG_EXIT_CLEAN && strcmp(name, "emulator") == 0) code = add_seeds(to, seeds);
        if (code != TG_EXIT_CLEAN) return code;
        if (!at[length]) return TG_EXIT_CLEAN;
        at += length + 1;
    }
}

static int add_gpu_if_any(tg_backend_list *to)
{
    tg_gpu_kept *gpu;
    return tg_gpu_keep("gpu", &gpu, NULL) == TG_OK ? add(to, "gpu", gpu) : TG_EXIT_CLEAN;
}

int tg_backend_list_make(tg_backend_list *list, const tg_cli_command *command, const char *asked,
                         int seeds)
{
    int code = add_asked(list, command, asked ? asked : "cpu,emulator", seeds);
    if (code == TG_EXIT_CLEAN && !asked) code = add_gpu_if_any(list);
    if (code != TG_EXIT_CLEAN) return code;
    if (list->count < 2) return tg_cli_usage(command, "--backends takes at least two of them");
    list->names = calloc(list->count, sizeof *list->names);
    if (!list->names) return tg_cli_no_memory();
    for (size_t i = 0; i < list->count; i++) list->names[i] = list->list[i].name;
    return TG_EXIT_CLEAN;
}

void tg_backend_list_free(tg_backend_list *list)
{
    for (size_t i = 0; i < list->count; i++) tg_gpu_release(list->list[i].gpu);
    free(list->list);
    free(list->names);
    *list = (tg_backend_list){0};
}
