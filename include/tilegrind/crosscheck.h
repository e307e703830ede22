/* Backends held against each other on a case: the same bits, the same findings, the same text. */
#ifndef TILEGRIND_CROSSCHECK_H
#define TILEGRIND_CROSSCHECK_H

#include "tilegrind/case.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tg_cross_verdict {
    TG_CROSS_EQUAL,
    /* Elements differ: in profile fast each within its bound, of triton-ptx as far as the case lets
     * its outputs differ. */
    TG_CROSS_WITHIN,
    /* Outputs or findings differ; in profile fast, outputs by more than the bound. */
    TG_CROSS_DIFFERENT,
    TG_CROSS_UNJUDGED, /* profile fast: elements differ, for which no bound can be derived */
    TG_CROSS_REFUSED,  /* the backend does not support what the case needs */
    TG_CROSS_FAILED    /* a run came to no end: the status tells why */
} tg_cross_verdict;

typedef struct tg_crosscheck_options {
    size_t size; /* sizeof(tg_crosscheck_options): lets the struct grow */
    /* At least two, as tg_run_options.backend names them, or "triton-ptx"; the others are compared
     * with the first. */
    const char *const *backends;
    size_t backend_count;
    /* "reference" (default): all run in it.  "fast": all but the first do, which is "cpu", and each
     * element that differs must be within the bound that is derived for it; what is printed is not
     * compared then. */
    const char *profile;
    /* How all of them sum products of narrow floats: as tg_run_options.tensor_core, "exact" (default) or
     * "sm90" or "sm100", not in profile fast. */
    const char *tensor_core;
} tg_crosscheck_options;

/* Whether a backend's name is "triton-ptx" or "triton-ptx:SEED": the PTX that a case has itself, in the
 * emulator.  It is compared with "cpu", the first backend, in profile reference; outputs may differ as
 * far as the case says. */
TG_API int tg_crosscheck_is_triton_ptx(const char *backend, uint64_t *seed);

typedef struct tg_crosscheck tg_crosscheck; /* what was found */

/* Runs the case on each backend, in sequential order with one CTA going through the grid, whatever
 * its own profile is, and compares.
 *   outputs   bit by bit; NaN is NaN whatever its bits
 *   findings  kind, op, source line, parameter and first program; those of what only the
 *             interpreter keeps account of are left out
 *   text      what debug_print prints, byte by byte
 *   out       free with tg_crosscheck_free, before the case
 * Where outputs differ from those of "cpu", and that is the first, the first op that differs is
 * looked for.  TG_OK whatever was found; TG_ERR_USAGE for options that do not go together,
 * TG_ERR_NO_MEMORY; then *out is NULL. */
TG_API tg_status tg_crosscheck_new(const tg_case *c, const tg_crosscheck_options *options,
                                   tg_crosscheck **out, tg_errors *errors);
TG_API void tg_crosscheck_free(tg_crosscheck *check); /* NULL is fine */

/* What came of one backend.  Its texts, and those of the structs below, live as long as the check
 * and the case. */
typedef struct tg_cross_result {
    const char *backend;
    tg_cross_verdict verdict;
    tg_status status; /* of the run that failed or was refused; TG_OK */
    double seconds;   /* of the backend's run */
    const char
        *message; /* one line: what differs, or why there was no run; "" where all is equal */
    /* WITHIN, or DIFFERENT by more than a bound: the output and its element, row-major, that takes
     * up most of its bound, how far it is off, and by how much it may be.  Else NULL. */
    const char *bound_output;
    int64_t bound_element;
    double off;
    double bound;
    /* where outputs first differ, or why that could not be looked for; "" where it was not */
    const char *first_message;
} tg_cross_result;

/* Of each backend but the first. */
TG_API size_t tg_crosscheck_count(const tg_crosscheck *check);
TG_API tg_cross_result tg_crosscheck_get(const tg_crosscheck *check,
                                         size_t index); /* index < count */

/* An op that a program executes. */
typedef struct tg_cross_place {
    const char *op;   /* its name; NULL: there is no place */
    const char *file; /* NULL where unknown; and line 0 */
    int64_t line;
    int rank; /* of the grid */
    const int64_t *program;
    int64_t visit; /* 1: for the first time in this program */
} tg_cross_place;

typedef struct tg_cross_value {
    char text[TG_ELEMENT_TEXT];
    uint64_t bits;
    int width; /* of the dtype, in bits */
} tg_cross_value;

/* Where outputs first differ. */
typedef struct tg_cross_first {
    /* "block": an op leaves another block; "path": all blocks so far are the same, but other ops
     * come next; "store": all ops leave the same, but memory does not end up the same; "none": with
     * a log in the making, both end up the same; "too-long": the logs are the same as far as they
     * were looked at; NULL: nothing was found. */
    const char *kind;
    tg_cross_place at;    /* block, path; store: who wrote the element last, in the interpreter */
    tg_cross_place other; /* path: of the other backend */
    const char *output;   /* store: the array */
    const char *dtype;    /* block, store: of the element that follows; else NULL */
    int rank;
    int64_t index[8];    /* of the first element that differs, `rank` numbers */
    int64_t differing;   /* how many do */
    tg_cross_value want; /* the interpreter's */
    tg_cross_value got;
    uint64_t ulps; /* between them; UINT64_MAX: as far as can be */
} tg_cross_first;

TG_API tg_cross_first tg_crosscheck_first(const tg_crosscheck *check,
                                          size_t index); /* index < count */

#ifdef __cplusplus
}
#endif

#endif
