/* Runners in C: what `tilegrind conform` talks to, in the protocol tilegrind-runner/1 (docs/protocol.md).
 *
 * One header, C99 and POSIX, no dependencies.  Fill in a tgr_runner and call tgr_serve:
 *
 *     static const tgr_runner mine = {
 *         .hello = "\"implementation\":{\"name\":\"mine\",\"version\":\"1\"},\"ir\":[\"0.1\"]",
 *         .load = load, .run = run, .drop = drop};
 *     int main(void) { return tgr_serve(&mine); }
 */
#ifndef TG_SDK_C_TILEGRIND_RUNNER_H
#define TG_SDK_C_TILEGRIND_RUNNER_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TGR_MAX_RANK = 16, TGR_MAX_TENSORS = 256, TGR_MAX_AXES = 16, TGR_WHY = 512 };

typedef enum tgr_result { TGR_OK, TGR_UNSUPPORTED, TGR_ERROR } tgr_result;

/* A row-major array in a file that is mapped: inputs cannot be written.  `dtype` is as safetensors
 * spells it ("F32", "BF16"); dtypes that it lacks are "U8", one byte for each element. */
typedef struct tgr_tensor {
    char name[256];
    char dtype[16];
    int rank;
    int64_t shape[TGR_MAX_RANK];
    void *data;
    size_t size; /* in bytes */
} tgr_tensor;

/* A file of tensors.  The one of outputs also has guards, which are not to be touched: look for the
 * names of the kernel's parameters with tgr_find. */
typedef struct tgr_tensors {
    size_t count;
    tgr_tensor items[TGR_MAX_TENSORS];
    void *memory;
    size_t size;
} tgr_tensors;

typedef struct tgr_call {
    const tgr_tensors *inputs, *outputs;
    const char *order;
    const int64_t *grid; /* sizes of the dynamic axes */
    size_t grid_count;
} tgr_call;

/* An implementation.
 *
 *   hello   members of the answer to hello, as JSON: `implementation` and `ir`, optionally `contract`,
 *           `claims` and `tensors`
 *   load    reads the kernel at `path` and stores what `run` takes in `kernel`
 *   run     writes every element of the outputs
 *   drop    frees a kernel; NULL: nothing is to be freed
 *
 * Where load and run do not give TGR_OK, they put the reason in `why`, of TGR_WHY bytes. */
typedef struct tgr_runner {
    const char *hello;
    void *context;
    tgr_result (*load)(void *context, const char *path, void **kernel, char *why);
    tgr_result (*run)(void *context, void *kernel, const tgr_call *call, char *why);
    void (*drop)(void *context, void *kernel);
} tgr_runner;

/* The tensor of that name, or NULL. */
static inline const tgr_tensor *tgr_find(const tgr_tensors *tensors, const char *name)
{
    for (size_t i = 0; i < tensors->count; i++)
        if (!strcmp(tensors->items[i].name, name)) return &tensors->items[i];
    return NULL;
}

/* -- JSON: a value is a place in a text that the judge wrote, and is well-formed -- */

static inline const char *tgr_space(const char *at) { return at + strspn(at, " \t\r\n"); }

/* The place after a value. */
static inline const char *tgr_skip(const char *at)
{
    int depth = 0;
    do {
        at = tgr_space(at);
        if (!*at) return at;
        if (*at == '"') {
            for (at++; *at && *at != '"'; at++)
                if (*at == '\\' && at[1]) at++;
            if (*at) at++;
        } else if (*at == '{' || *at == '[') {
            depth++, at++;
        } else if (*at == '}' || *at == ']') {
            depth--, at++;
        } else if (*at == ',' || *at == ':') {
            at++;
        } else {
            at += strcspn(at, ",:{}[]\" \t\r\n");
        }
    } while (depth > 0);
    return at;
}

static inline char *tgr_utf8(char *out, unsigned long code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6), *out++ = (char)(0x80 | (code & 63));
    } else if (code < 0x10000) {
        *out++ = (char)(0xE0 | code >> 12), *out++ = (char)(0x80 | (code >> 6 & 63));
        *out++ = (char)(0x80 | (code & 63));
    } else {
        *out++ = (char)(0xF0 | code >> 18), *out++ = (char)(0x80 | (code >> 12 & 63));
        *out++ = (char)(0x80 | (code >> 6 & 63)), *out++ = (char)(0x80 | (code & 63));
    }
    return out;
}

static inline unsigned long tgr_hex4(const char *at)
{
    char digits[5] = {0};
    strncpy(digits, at, 4);
    return strtoul(digits, NULL, 16);
}

/* The character of the escape at `*at`, behind its backslash; moves `*at` behind it. */
static inline unsigned long tgr_escape(const char **at)
{
    const char *const known = "bfnrt", *const means = "\b\f\n\r\t";
    char kind = *(*at)++;
    if (kind != 'u') {
        const char *found = kind ? strchr(known, kind) : NULL;
        return (unsigned char)(found ? means[found - known] : kind);
    }
    unsigned long code = tgr_hex4(*at);
    *at += strnlen(*at, 4);
    if (code >= 0xD800 && code < 0xDC00 && !strncmp(*at, "\\u", 2)) {
        code = 0x10000 + ((code - 0xD800) << 10) + (tgr_hex4(*at + 2) - 0xDC00);
        *at += 2 + strnlen(*at + 2, 4);
    }
    return code;
}

/* The text of a string; false if it is none, or is too long. */
static inline bool tgr_text(const char *at, char *out, size_t room)
{
    if (!at || *at++ != '"') return false;
    for (char *end = out + room - 5; *at && *at != '"';) {
        if (out >= end) return false;
        if (*at != '\\') {
            *out++ = *at++;
            continue;
        }
        at++;
        out = tgr_utf8(out, tgr_escape(&at));
    }
    *out = '\0';
    return true;
}

/* The first key or item of an object or array, or NULL; tgr_next gives the one after a value. */
static inline const char *tgr_first(const char *at)
{
    if (!at || (*at != '{' && *at != '[')) return NULL;
    at = tgr_space(at + 1);
    return *at == '}' || *at == ']' ? NULL : at;
}

static inline const char *tgr_next(const char *value)
{
    const char *at = tgr_space(tgr_skip(value));
    return *at == ',' ? tgr_space(at + 1) : NULL;
}

/* The value behind a key. */
static inline const char *tgr_value(const char *key)
{
    const char *at = tgr_space(tgr_skip(key));
    return *at == ':' ? tgr_space(at + 1) : at;
}

/* The value of a member of an object, or NULL. */
static inline const char *tgr_member(const char *object, const char *name)
{
    char key[256];
    for (const char *at = tgr_first(object); at; at = tgr_next(tgr_value(at)))
        if (tgr_text(at, key, sizeof key) && !strcmp(key, name)) return tgr_value(at);
    return NULL;
}

static inline size_t tgr_integers(const char *array, int64_t *out, size_t room)
{
    size_t count = 0;
    for (const char *at = tgr_first(array); at && count < room; at = tgr_next(at))
        out[count++] = strtoll(at, NULL, 10);
    return count;
}

/* -- tensors -- */

static inline bool tgr_entry(const char *key, char *memory, size_t first, size_t size,
                             tgr_tensor *out)
{
    const char *entry = tgr_value(key);
    int64_t offsets[2] = {-1, -1};
    tgr_integers(tgr_member(entry, "data_offsets"), offsets, 2);
    if (!tgr_text(key, out->name, sizeof out->name) ||
        !tgr_text(tgr_member(entry, "dtype"), out->dtype, sizeof out->dtype) || offsets[0] < 0 ||
        offsets[1] < offsets[0] || (uint64_t)offsets[1] > size - first)
        return false;
    out->rank = (int)tgr_integers(tgr_member(entry, "shape"), out->shape, TGR_MAX_RANK);
    out->data = memory + first + offsets[0];
    out->size = (size_t)(offsets[1] - offsets[0]);
    return true;
}

static inline bool tgr_entries(tgr_tensors *out)
{
    uint64_t length;
    if (out->size < 8) return false;
    memcpy(&length, out->memory, 8); /* little-endian, as all of safetensors */
    if (length > out->size - 8) return false;
    char *header = strndup((char *)out->memory + 8, length);
    bool is_good = header != NULL;
    for (const char *at = tgr_first(header); at && is_good; at = tgr_next(tgr_value(at)))
        is_good = out->count < TGR_MAX_TENSORS &&
                  tgr_entry(at, out->memory, 8 + length, out->size, &out->items[out->count++]);
    free(header);
    return is_good;
}

static inline void tgr_close(tgr_tensors *tensors)
{
    if (tensors && tensors->memory) munmap(tensors->memory, tensors->size);
    free(tensors);
}

/* Maps the tensors at a place of a request; NULL if they cannot be read.  tgr_close frees them. */
static inline tgr_tensors *tgr_open(const char *place, bool is_output)
{
    char name[4096];
    int mode = is_output ? O_RDWR : O_RDONLY, file = -1;
    if (tgr_text(tgr_member(place, "path"), name, sizeof name))
        file = open(name, mode);
    else if (tgr_text(tgr_member(place, "shm"), name, sizeof name))
        file = shm_open(name, mode, 0);
    struct stat about;
    tgr_tensors *found = calloc(1, sizeof *found);
    if (file >= 0 && found && !fstat(file, &about) && about.st_size > 0) {
        found->size = (size_t)about.st_size;
        found->memory =
            mmap(NULL, found->size, PROT_READ | (is_output ? PROT_WRITE : 0), MAP_SHARED, file, 0);
        if (found->memory == MAP_FAILED) found->memory = NULL;
    }
    if (file >= 0) close(file);
    if (found && found->memory && tgr_entries(found)) return found;
    tgr_close(found);
    return NULL;
}

/* -- requests -- */

typedef struct tgr_kernel {
    char name[64];
    void *kernel;
    struct tgr_kernel *next;
} tgr_kernel;

static inline tgr_kernel **tgr_kernel_at(tgr_kernel **first, const char *request)
{
    char name[64] = "";
    tgr_text(tgr_member(request, "kernel"), name, sizeof name);
    while (*first && strcmp((*first)->name, name)) first = &(*first)->next;
    return first;
}

static inline void tgr_drop(const tgr_runner *runner, tgr_kernel **at)
{
    tgr_kernel *gone = *at;
    if (!gone) return;
    *at = gone->next;
    if (runner->drop) runner->drop(runner->context, gone->kernel);
    free(gone);
}

static inline tgr_result tgr_load(const tgr_runner *runner, tgr_kernel **kernels,
                                  const char *request, char *why)
{
    char path[4096];
    tgr_kernel *made = calloc(1, sizeof *made);
    tgr_result result = TGR_ERROR;
    if (made && tgr_text(tgr_member(request, "path"), path, sizeof path) &&
        tgr_text(tgr_member(request, "kernel"), made->name, sizeof made->name))
        result = runner->load(runner->context, path, &made->kernel, why);
    if (result != TGR_OK) {
        free(made);
        return result;
    }
    made->next = *kernels;
    *kernels = made;
    return TGR_OK;
}

static inline tgr_result tgr_run(const tgr_runner *runner, tgr_kernel **kernels,
                                 const char *request, char *why)
{
    char order[256] = "sequential";
    int64_t grid[TGR_MAX_AXES];
    tgr_kernel *kernel = *tgr_kernel_at(kernels, request);
    tgr_tensors *inputs = tgr_open(tgr_member(request, "inputs"), false);
    tgr_tensors *outputs = tgr_open(tgr_member(request, "outputs"), true);
    tgr_text(tgr_member(request, "order"), order, sizeof order);
    tgr_call call = {inputs, outputs, order, grid,
                     tgr_integers(tgr_member(request, "grid"), grid, TGR_MAX_AXES)};
    tgr_result result = TGR_ERROR;
    if (!kernel)
        snprintf(why, TGR_WHY, "the kernel is not loaded");
    else if (!inputs || !outputs)
        snprintf(why, TGR_WHY, "a file of tensors cannot be read");
    else
        result = runner->run(runner->context, kernel->kernel, &call, why);
    tgr_close(inputs);
    tgr_close(outputs);
    return result;
}

static inline void tgr_say(FILE *answers, long long seq, tgr_result result, const char *why)
{
    static const char *const before[] = {"\"ok\":true", "\"unsupported\":\"",
                                         "\"error\":{\"kind\":\"error\",\"message\":\""};
    static const char *const after[] = {"", "\"", "\"}"};
    fprintf(answers, "{\"seq\":%lld,%s", seq, before[result]);
    for (; result != TGR_OK && *why; why++) {
        unsigned char byte = (unsigned char)*why;
        if (byte < 0x20 || byte > 0x7E)
            fputc(' ', answers);
        else
            fprintf(answers, byte == '"' || byte == '\\' ? "\\%c" : "%c", byte);
    }
    fprintf(answers, "%s}\n", after[result]);
}

static inline void tgr_answer(const tgr_runner *runner, FILE *answers, tgr_kernel **kernels,
                              const char *line)
{
    char command[32] = "", why[TGR_WHY] = "no reason given";
    const char *seq_text = tgr_member(line, "seq");
    long long seq = seq_text ? strtoll(seq_text, NULL, 10) : 0;
    tgr_text(tgr_member(line, "cmd"), command, sizeof command);
    if (!strcmp(command, "drop"))
        tgr_drop(runner, tgr_kernel_at(kernels, line));
    else if (!seq_text)
        return; /* cancel: this runner does one thing at a time */
    else if (!strcmp(command, "hello"))
        fprintf(answers, "{\"seq\":%lld,\"protocol\":1,%s}\n", seq, runner->hello);
    else if (!strcmp(command, "load"))
        tgr_say(answers, seq, tgr_load(runner, kernels, line, why), why);
    else if (!strcmp(command, "run"))
        tgr_say(answers, seq, tgr_run(runner, kernels, line, why), why);
    else
        tgr_say(answers, seq, TGR_UNSUPPORTED, "command");
    fflush(answers);
}

/* Answers requests until the judge says bye or closes the pipe.  What the implementation prints goes
 * to standard error.  The exit code for main. */
static inline int tgr_serve(const tgr_runner *runner)
{
    FILE *answers = fdopen(dup(STDOUT_FILENO), "w");
    if (!answers || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;
    tgr_kernel *kernels = NULL;
    char *line = NULL, command[32];
    size_t room = 0;
    while (getline(&line, &room, stdin) >= 0) {
        if (tgr_text(tgr_member(line, "cmd"), command, sizeof command) && !strcmp(command, "bye"))
            break;
        tgr_answer(runner, answers, &kernels, line);
    }
    while (kernels) tgr_drop(runner, &kernels);
    free(line);
    return fclose(answers) ? 1 : 0;
}

#endif
