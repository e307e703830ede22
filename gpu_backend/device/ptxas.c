#define _POSIX_C_SOURCE 200809L /* for mkdtemp */
#include "gpu_backend/device/ptxas.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu_backend/device/process.h"

/* ---- finding it ---- */

/* Reads the version after the V in "..., release 13.0, V13.0.88".  Returns false if there is
 * none. */
static bool read_version(const char *output, char *out, size_t size)
{
    const char *at = strstr(output, "release ");
    at = at ? strstr(at, ", V") : NULL;
    if (!at) return false;
    const size_t length = strspn(at + 3, "0123456789.");
    snprintf(out, size, "%.*s", (int)(length < size ? length : size - 1), at + 3);
    return length > 0;
}

static tg_status try_path(const char *path, tg_ptxas *out, tg_diags *diags)
{
    enum { LIMIT_S = 10 };
    tg_process_result ended;
    const int length = snprintf(out->path, sizeof out->path, "%s", path);
    if (length < 0 || (size_t)length >= sizeof out->path)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "the path of ptxas is too long");
    char *const argv[] = {out->path, "--version", NULL};
    TG_TRY(tg_process_run(argv, LIMIT_S, &ended, diags));
    const bool is_ptxas =
        ended.exit_code == 0 && read_version(ended.output, out->version, sizeof out->version);
    free(ended.output);
    if (is_ptxas) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "%s does not tell a version of ptxas when asked for it", path);
}

/* Whether `folder`/`within`ptxas is executable; sets *out to its path. */
static bool is_there(const char *folder, size_t length, const char *within, char *out)
{
    const int all = snprintf(out, TG_PTXAS_PATH, "%.*s%sptxas", (int)length, folder, within);
    return length && all > 0 && all < TG_PTXAS_PATH && access(out, X_OK) == 0;
}

static bool search(char *out)
{
    static const char *const usual[] = {"/usr/local/cuda/bin/", "/opt/cuda/bin/",
                                        "/usr/lib/cuda/bin/", "/usr/lib/nvidia-cuda-toolkit/bin/"};
    static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH"};
    const char *folder = getenv("PATH");
    while (folder && *folder) {
        const size_t length = strcspn(folder, ":");
        if (is_there(folder, length, "/", out)) return true;
        folder += length + (folder[length] == ':');
    }
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
        const char *const home = getenv(homes[i]);
        if (home && is_there(home, strlen(home), "/bin/", out)) return true;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (is_there(usual[i], strlen(usual[i]), "", out)) return true;
    return false;
}

tg_status tg_ptxas_find(tg_ptxas *out, tg_diags *diags)
{
    const char *const asked = getenv("TILEGRIND_PTXAS");
    char path[TG_PTXAS_PATH];
    *out = (tg_ptxas){0};
    if (asked && !*asked)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "TILEGRIND_PTXAS says to use none");
    if (asked) return try_path(asked, out, diags);
    if (search(path)) return try_path(path, out, diags);
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "there is none in PATH or where CUDA is usually installed");
}

/* ---- its output ---- */

/* The largest number that precedes `unit` anywhere in the text, or -1.  Versions of ptxas phrase
 * their lines differently, but all print the number before the unit. */
static int64_t largest_before(const char *text, const char *unit)
{
    int64_t most = -1;
    for (const char *at = strstr(text, unit); at; at = strstr(at + 1, unit)) {
        const char *digit = at;
        while (digit > text && digit[-1] >= '0' && digit[-1] <= '9') digit--;
        if (digit == at) continue;
        const int64_t number = strtoll(digit, NULL, 10);
        if (number > most) most = number;
    }
    return most;
}

static void read_log(tg_ptxas_result *r)
{
    r->registers = largest_before(r->log, " registers");
    r->shared_bytes = largest_before(r->log, " bytes smem");
    r->stack_bytes = largest_before(r->log, " bytes stack frame");
    r->spill_store_bytes = largest_before(r->log, " bytes spill stores");
    r->spill_load_bytes = largest_before(r->log, " bytes spill loads");
}

/* ---- files ---- */

typedef struct scratch {
    char folder[TG_PTXAS_PATH], text[TG_PTXAS_PATH + 16], cubin[TG_PTXAS_PATH + 16];
} scratch;

static tg_status bad_file(const char *path, tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_IO, NULL, "%s: %s", path, strerror(errno));
}

static tg_status make_scratch(scratch *s, tg_diags *diags)
{
    const char *const asked = getenv("TMPDIR");
    const int length = snprintf(s->folder, sizeof s->folder, "%s/tilegrind-XXXXXX",
                                asked && *asked ? asked : "/tmp");
    if (length < 0 || (size_t)length >= sizeof s->folder)
        return tg_fail(diags, TG_ERR_IO, NULL, "the path in TMPDIR is too long");
    if (!mkdtemp(s->folder)) return bad_file(s->folder, diags);
    snprintf(s->text, sizeof s->text, "%s/kernel.ptx", s->folder);
    snprintf(s->cubin, sizeof s->cubin, "%s/kernel.cubin", s->folder);
    return TG_OK;
}

static void remove_scratch(const scratch *s)
{
    unlink(s->text);
    unlink(s->cubin);
    rmdir(s->folder);
}

static tg_status write_text(const char *path, const char *text, tg_diags *diags)
{
    FILE *file = fopen(path, "w");
    if (!file) return bad_file(path, diags);
    const size_t length = strlen(text);
    const bool is_written = fwrite(text, 1, length, file) == length;
    return fclose(file) == 0 && is_written ? TG_OK : bad_file(path, diags);
}

/* Reads the whole file into allocated memory; NULL on failure. */
static void *read_whole(FILE *file, size_t *bytes)
{
    if (fseek(file, 0, SEEK_END) != 0) return NULL;
    const long size = ftell(file);
    if (size <= 0 || fseek(file, 0, SEEK_SET) != 0) return NULL;
    void *data = malloc((size_t)size);
    *bytes = data ? fread(data, 1, (size_t)size, file) : 0;
    if (data && *bytes == (size_t)size) return data;
    free(data);
    return NULL;
}

/* A cubin is an ELF file; NULL for anything else. */
static void *read_cubin(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    void *data = read_whole(file, bytes);
    fclose(file);
    if (data && *bytes > 4 && memcmp(data, "\177ELF", 4) == 0) return data;
    free(data);
    *bytes = 0;
    return NULL;
}

/* ---- assembling ---- */

static tg_status assemble(const tg_ptxas *ptxas, const scratch *s, const tg_ptxas_job *job,
                          tg_ptxas_result *out, tg_diags *diags)
{
    char path[TG_PTXAS_PATH], name[32], optimise[8], from[sizeof s->text], to[sizeof s->cubin];
    tg_process_result ended;
    snprintf(path, sizeof path, "%s", ptxas->path);
    snprintf(name, sizeof name, "--gpu-name=%s", job->target);
    snprintf(optimise, sizeof optimise, "-O%d", job->level);
    memcpy(from, s->text, sizeof from);
    memcpy(to, s->cubin, sizeof to);
    char *const argv[] = {path, "-v", optimise, name, "-o", to, from, NULL};
    TG_TRY(tg_process_run(argv, job->limit_s, &ended, diags));
    out->log = ended.output;
    out->seconds = ended.seconds;
    read_log(out);
    if (!ended.timed_out && ended.exit_code == 0)
        out->cubin = read_cubin(s->cubin, &out->cubin_bytes);
    out->outcome = ended.timed_out ? TG_PTXAS_TIMED_OUT
                   : out->cubin    ? TG_PTXAS_ASSEMBLED
                                   : TG_PTXAS_REFUSED;
    return TG_OK;
}

tg_status tg_ptxas_assemble(const tg_ptxas *ptxas, const tg_ptxas_job *job, tg_ptxas_result *out,
                            tg_diags *diags)
{
    scratch s;
    *out = (tg_ptxas_result){.outcome = TG_PTXAS_REFUSED};
    TG_TRY(make_scratch(&s, diags));
    tg_status status = write_text(s.text, job->text, diags);
    if (status == TG_OK) status = assemble(ptxas, &s, job, out, diags);
    remove_scratch(&s);
    return status;
}

void tg_ptxas_result_free(tg_ptxas_result *result)
{
    free(result->cubin);
    free(result->log);
    *result = (tg_ptxas_result){0};
}
