#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

/* Of the static analyser, see diag.h. */
#undef tg_fail
#undef tg_fail_at
#undef tg_no_memory

static const struct {
    const char *name, *means;
    int exit_code;
} statuses[TG_STATUS_COUNT] = {
#define TG_STATUS(id, exit_, means_) [TG_##id] = {#id, means_, exit_},
#include "tilegrind/status.def"
};

const char *tg_status_text(tg_status status) { return statuses[status].means; }
const char *tg_status_name(tg_status status) { return statuses[status].name; }
int tg_status_exit(tg_status status) { return statuses[status].exit_code; }

static size_t print_path(const tg_path *path, char *out, size_t size)
{
    if (!path) return 0;
    size_t used = print_path(path->up, out, size);
    if (used >= size) return used;
    if (path->key) return used + (size_t)snprintf(out + used, size - used, "/%s", path->key);
    return used + (size_t)snprintf(out + used, size - used, "/%zu", path->index);
}

char *tg_path_print(const tg_path *path, char *out, size_t size)
{
    if (size) out[0] = '\0';
    print_path(path, out, size);
    return out;
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static int has_room(tg_diags *diags)
{
    if (diags->count == TG_MAX_DIAGS) return 0;
    tg_diag *list = tg_list_grow(diags->list, diags->count, &diags->capacity, sizeof *list);
    if (list) diags->list = list;
    return list != NULL;
}

static void free_texts(tg_diag *diag)
{
    free(diag->file);
    free(diag->where);
    free(diag->message);
}

TG_PRINTF(5, 0)
static tg_status add(tg_diags *diags, tg_status status, const tg_path *at, int64_t offset,
                     const char *format, va_list args)
{
    if (!diags) return status;
    if (diags->worst == TG_OK) diags->worst = status;
    if (!has_room(diags)) {
        diags->dropped++;
        return status;
    }
    char where[512], message[1024];
    tg_path_print(at, where, sizeof where);
    vsnprintf(message, sizeof message, format, args);
    tg_diag diag = {.status = status, .offset = offset};
    diag.where = copy_text(where);
    diag.message = copy_text(message);
    if (diags->file[0]) diag.file = copy_text(diags->file);
    if (!diag.where || !diag.message || (diags->file[0] && !diag.file)) {
        free_texts(&diag);
        diags->dropped++;
        return status;
    }
    diags->list[diags->count++] = diag;
    return status;
}

tg_status tg_fail(tg_diags *diags, tg_status status, const tg_path *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(diags, status, at, -1, format, args);
    va_end(args);
    return status;
}

tg_status tg_fail_at(tg_diags *diags, tg_status status, const tg_path *at, int64_t offset,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(diags, status, at, offset, format, args);
    va_end(args);
    return status;
}

tg_status tg_no_memory(tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "memory is exhausted");
}

void tg_diags_set_file(tg_diags *diags, const char *file)
{
    snprintf(diags->file, sizeof diags->file, "%s", file ? file : "");
}

void tg_diags_free(tg_diags *diags)
{
    for (size_t i = 0; i < diags->count; i++) free_texts(&diags->list[i]);
    free(diags->list);
    *diags = (tg_diags){0};
}
