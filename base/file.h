/* Files: read within a limit, written so that nobody ever sees half of one. */
#ifndef TG_BASE_FILE_H
#define TG_BASE_FILE_H

#include <stdio.h>

#include "base/diag.h"

/* Makes `path` the file that further diagnoses are about and keeps the one before in `before`; call
 * tg_diags_set_file(diags, before) to go back. */
enum { TG_FILE_NAME = sizeof((tg_diags *)0)->file };
void tg_file_enter(tg_diags *diags, const char *path, char before[TG_FILE_NAME]);

/* Opens a regular file for reading and tells its size in bytes; the caller closes *out with fclose.
 * TG_ERR_IO where it cannot be read or is a folder, device or pipe. */
tg_status tg_file_open(const char *path, FILE **out, uint64_t *size, tg_diags *diags);

/* Reads a whole regular file of at most `limit` bytes.  *out holds *size bytes and a NUL after them; the
 * caller frees it with free().  TG_ERR_IO, TG_ERR_INVALID (over the limit) or TG_ERR_NO_MEMORY leave
 * *out NULL. */
tg_status tg_file_read(const char *path, size_t limit, char **out, size_t *size, tg_diags *diags);

/* A file being written: a temporary beside `path` that takes its place at the end. */
typedef struct tg_file_out {
    FILE *stream;
    char *path, *temporary;
} tg_file_out;

/* Starts writing.  Ends with either tg_file_commit or tg_file_discard. */
tg_status tg_file_create(const char *path, tg_file_out *out, tg_diags *diags);

/* Flushes and renames into place; where anything went wrong since the start, removes the temporary and
 * leaves what was at `path` untouched. */
tg_status tg_file_commit(tg_file_out *out, tg_diags *diags);
void tg_file_discard(tg_file_out *out);

/* Bytes that come one after the other, their number known beforehand: a file, a member of an archive,
 * memory. */
typedef struct tg_source {
    /* Fills `to` with exactly `bytes` bytes, or says in `diags` why not. */
    tg_status (*pull)(struct tg_source *source, void *to, size_t bytes, tg_diags *diags);
    void *context;
    uint64_t left; /* bytes not yet read */
} tg_source;

/* Reads `bytes` bytes; TG_ERR_SYNTAX "ends in the middle of `what`" where fewer are left. */
tg_status tg_source_read(tg_source *source, void *to, size_t bytes, const char *what,
                         tg_diags *diags);

/* Sources over an open file and over memory, both borrowed. */
tg_source tg_source_of_file(FILE *file, uint64_t size);
tg_source tg_source_of_memory(const void *data, size_t size);

#endif
