/* Diagnoses: what is wrong with a text, a kernel or a call, and where. */
#ifndef TG_BASE_DIAG_H
#define TG_BASE_DIAG_H

#include <stddef.h>
#include <stdint.h>

#include "tilegrind/status.h"

/* A position in a nested document: a linked list on the C stack, one entry for each level. */
typedef struct tg_path {
    const struct tg_path *up; /* NULL at the document root */
    const char *key;          /* member name; NULL for an array element */
    size_t index;             /* array index where key is NULL */
} tg_path;

/* Prints the path as a JSON pointer, such as "/kernels/0/body/ops/4"; "" for the root.  Returns
 * `out`. */
char *tg_path_print(const tg_path *path, char *out, size_t size);

typedef struct tg_diag {
    tg_status status;
    int64_t offset; /* byte offset in `file`, or -1 */
    char *file;     /* NULL if there is none */
    char *where;    /* path within the file, or "" */
    char *message;
} tg_diag;

/* Diagnoses in the order in which they were found.  Zero-initialise; owns its texts until
 * tg_diags_free. */
typedef struct tg_diags {
    tg_diag *list;
    size_t count, capacity;
    size_t dropped;  /* diagnoses beyond TG_MAX_DIAGS: counted but not kept */
    tg_status worst; /* of the first diagnosis; kept even if memory for its texts ran out */
    char file[512];  /* the file of each diagnosis that is added, unless empty */
} tg_diags;

enum { TG_MAX_DIAGS = 100 };

#if defined __GNUC__
#define TG_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TG_PRINTF(text, first)
#endif

/* Records a problem at `at` (NULL: the root).  Returns `status`, so that callers can
 * `return tg_fail(...)`.  If memory runs out here, the status is still recorded.  Without `diags` nothing
 * is. */
TG_PRINTF(4, 5)
tg_status tg_fail(tg_diags *diags, tg_status status, const tg_path *at, const char *format, ...);

/* Like tg_fail, with a known byte offset. */
TG_PRINTF(5, 6)
tg_status tg_fail_at(tg_diags *diags, tg_status status, const tg_path *at, int64_t offset,
                     const char *format, ...);

/* Records that memory ran out, without a position.  Returns TG_ERR_NO_MEMORY. */
tg_status tg_no_memory(tg_diags *diags);

/* The static analyser sees one source file at a time: here it learns that what fails is not TG_OK. */
#if defined __clang_analyzer__
#define tg_fail(diags, status, ...) ((void)tg_fail(diags, status, __VA_ARGS__), (status))
#define tg_fail_at(diags, status, ...) ((void)tg_fail_at(diags, status, __VA_ARGS__), (status))
#define tg_no_memory(diags) ((void)tg_no_memory(diags), TG_ERR_NO_MEMORY)
#endif

/* Sets the file of all diagnoses added from now on; NULL or "" for none. */
void tg_diags_set_file(tg_diags *diags, const char *file);

void tg_diags_free(tg_diags *diags);

#define TG_TRY(call)                                                                               \
    do {                                                                                           \
        tg_status status_ = (call);                                                                \
        if (status_ != TG_OK) return status_;                                                      \
    } while (0)

#endif
