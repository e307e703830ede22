#define _POSIX_C_SOURCE 200809L /* open, fstat, fdopen */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void tg_file_enter(tg_diags *diags, const char *path, char before[TG_FILE_NAME])
{
    memcpy(before, diags->file, TG_FILE_NAME);
    tg_diags_set_file(diags, path);
}

tg_status tg_file_open(const char *path, FILE **out, uint64_t *size, tg_diags *diags)
{
    struct stat st;
    tg_status status = TG_OK;
    *out = NULL;
    *size = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* do not wait if it is a pipe */
    if (fd < 0 || fstat(fd, &st) != 0)
        status = tg_fail(diags, TG_ERR_IO, NULL, "cannot read '%s': %s", path, strerror(errno));
    else if (!S_ISREG(st.st_mode))
        status = tg_fail(diags, TG_ERR_IO, NULL, "'%s' is not a regular file", path);
    else if (!(*out = fdopen(fd, "rb")))
        status = tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory to read '%s'", path);
    else
        *size = (uint64_t)st.st_size;
    if (!*out && fd >= 0) close(fd);
    return status;
}

static tg_status read_text(FILE *file, const char *path, char *text, size_t size, tg_diags *diags)
{
    if (fread(text, 1, size, file) != size)
        return tg_fail(diags, TG_ERR_IO, NULL, "cannot read '%s': it ends early", path);
    text[size] = '\0';
    return TG_OK;
}

tg_status tg_file_read(const char *path, size_t limit, char **out, size_t *size, tg_diags *diags)
{
    uint64_t bytes = 0;
    *out = NULL;
    *size = 0;
    FILE *file;
    tg_status status = TG_OK;
    TG_TRY(tg_file_open(path, &file, &bytes, diags));
    if (bytes > limit)
        status = tg_fail(diags, TG_ERR_INVALID, NULL, "'%s' has %" PRIu64 " bytes, more than %zu",
                         path, bytes, limit);
    char *text = status == TG_OK ? malloc((size_t)bytes + 1) : NULL;
    if (status == TG_OK && !text)
        status = tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory to read '%s'", path);
    if (status == TG_OK) status = read_text(file, path, text, (size_t)bytes, diags);
    fclose(file);
    if (status != TG_OK) {
        free(text);
        return status;
    }
    *out = text;
    *size = (size_t)bytes;
    return TG_OK;
}

/* Creates a file beside `path` with an unused name and the permissions that the umask gives.
 * Returns -1 and sets errno on failure. */
static int open_temporary(const char *path, char *temporary, size_t size)
{
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        snprintf(temporary, size, "%s.%ld-%u.tmp", path, (long)getpid(), attempt);
        int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

tg_status tg_file_create(const char *path, tg_file_out *out, tg_diags *diags)
{
    size_t length = strlen(path), room = length + 48;
    *out = (tg_file_out){.path = malloc(length + 1), .temporary = malloc(room)};
    if (!out->path || !out->temporary) {
        tg_file_discard(out);
        return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory to write '%s'", path);
    }
    memcpy(out->path, path, length + 1);
    int fd = open_temporary(path, out->temporary, room);
    if (fd < 0) {
        tg_status status =
            tg_fail(diags, TG_ERR_IO, NULL, "cannot write beside '%s': %s", path, strerror(errno));
        tg_file_discard(out);
        return status;
    }
    out->stream = fdopen(fd, "wb");
    if (out->stream) return TG_OK;
    close(fd);
    unlink(out->temporary);
    tg_file_discard(out);
    return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "no memory to write '%s'", path);
}

tg_status tg_file_commit(tg_file_out *out, tg_diags *diags)
{
    tg_status status = TG_OK;
    int written = !ferror(out->stream) && fflush(out->stream) == 0;
    written = fclose(out->stream) == 0 && written;
    out->stream = NULL;
    if (!written || rename(out->temporary, out->path) != 0) {
        status =
            tg_fail(diags, TG_ERR_IO, NULL, "cannot write '%s': %s", out->path, strerror(errno));
        unlink(out->temporary);
    }
    tg_file_discard(out);
    return status;
}

void tg_file_discard(tg_file_out *out)
{
    if (out->stream) {
        fclose(out->stream);
        if (out->temporary) unlink(out->temporary);
    }
    free(out->path);
    free(out->temporary);
    *out = (tg_file_out){0};
}

tg_status tg_source_read(tg_source *source, void *to, size_t bytes, const char *what,
                         tg_diags *diags)
{
    if (bytes > source->left)
        return tg_fail(diags, TG_ERR_SYNTAX, NULL, "ends in the middle of %s", what);
    if (bytes == 0) return TG_OK;
    TG_TRY(source->pull(source, to, bytes, diags));
    source->left -= bytes;
    return TG_OK;
}

static tg_status pull_file(tg_source *source, void *to, size_t bytes, tg_diags *diags)
{
    if (fread(to, 1, bytes, source->context) == bytes) return TG_OK;
    return tg_fail(diags, TG_ERR_IO, NULL, "the file cannot be read to its end");
}

tg_source tg_source_of_file(FILE *file, uint64_t size)
{
    return (tg_source){.pull = pull_file, .context = file, .left = size};
}

static tg_status pull_memory(tg_source *source, void *to, size_t bytes, tg_diags *diags)
{
    (void)diags;
    memcpy(to, source->context, bytes);
    source->context = (char *)source->context + bytes;
    return TG_OK;
}

tg_source tg_source_of_memory(const void *data, size_t size)
{
    return (tg_source){.pull = pull_memory, .context = (void *)(uintptr_t)data, .left = size};
}
