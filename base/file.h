/* Reads files up to a size limit, and writes files atomically. */
#ifndef TG_BASE_FILE_H
#define TG_BASE_FILE_H

#include <stdio.h>

#include "base/diag.h"

/* Makes `path` the file of all diagnoses added from now on, and copies the previous one to
 * `before`; call tg_diags_set_file(diags, before) to restore it. */
enum { TG_FILE_NAME = sizeof((tg_diags *)0)->file };
void tg_file_enter(tg_diags *diags, const char *path, char before[TG_FILE_NAME]);

/* Opens a regular file for reading and sets *size to its size in bytes; the caller closes *out with
 * fclose.  Returns TG_ERR_IO if the file cannot be read or is a folder, device or pipe. */
tg_status tg_file_open(const char *path, FILE **out, uint64_t *size, tg_diags *diags);

/* Reads a whole regular file of at most `limit` bytes.  *out holds *size bytes and a NUL after
 * them; the caller frees it with free().  On TG_ERR_IO, TG_ERR_INVALID (over the limit) or
 * TG_ERR_NO_MEMORY *out is NULL. */
tg_status tg_file_read(const char *path, size_t limit, char **out, size_t *size, tg_diags *diags);

/* A file being written: a temporary file beside `path` that replaces it at the end. */
typedef struct tg_file_out {
    FILE *stream;
    char *path, *temporary;
} tg_file_out;

/* Starts writing.  End with tg_file_commit or tg_file_discard. */
tg_status tg_file_create(const char *path, tg_file_out *out, tg_diags *diags);

/* Flushes the temporary file and renames it to `path`.  If anything has failed since the start,
 * removes it instead and leaves the file at `path` unchanged. */
tg_status tg_file_commit(tg_file_out *out, tg_diags *diags);
void tg_file_discard(tg_file_out *out);

/* A stream of bytes of known length: a file, a member of an archive, or memory. */
typedef struct tg_source {
    /* Fills `to` with exactly `bytes` bytes, or reports in `diags` why it cannot. */
    tg_status (*pull)(struct tg_source *source, void *to, size_t bytes, tg_diags *diags);
    void *context;
    uint64_t left; /* bytes not yet read */
} tg_source;

/* Reads `bytes` bytes; TG_ERR_SYNTAX "ends in the middle of `what`" if fewer are left. */
tg_status tg_source_read(tg_source *source, void *to, size_t bytes, const char *what,
                         tg_diags *diags);

/* Return a source over an open file or over memory, which the caller still owns. */
tg_source tg_source_of_file(FILE *file, uint64_t size);
tg_source tg_source_of_memory(const void *data, size_t size);

#endif
