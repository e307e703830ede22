/* A run made once more, with a log of what its programs touched: the history of each element. */
#ifndef TILEGRIND_RECORD_H
#define TILEGRIND_RECORD_H

#include "tilegrind/tilegrind.h"

#ifdef __cplusplus
extern "C" {
#endif

/* At most so many; 0: the number in brackets.  Half of either is for the elements that findings
 * speak of. */
typedef struct tg_record_limits {
    size_t size;     /* sizeof(tg_record_limits): lets the struct grow */
    size_t accesses; /* [100000] */
    int64_t values;  /* [500000] elements */
} tg_record_limits;

typedef struct tg_recording tg_recording;

/* Runs the kernel as tg_run would, on outputs of its own, without checks and prints.
 *   arrays, options  as for tg_run; the interpreter alone
 *   report           of the run that this one repeats: what its findings speak of has room of its
 *                    own in the log
 *   limits           NULL: the usual ones
 *   out              free with tg_recording_free before `module` and the arrays
 * What the log has no room for is counted, never dropped in silence.  Returns what tg_run returns;
 * *out is NULL after a failure. */
TG_API tg_status tg_record(const tg_module *module, const char *kernel, const tg_array *arrays,
                           size_t array_count, const tg_run_options *options,
                           const tg_report *report, const tg_record_limits *limits,
                           tg_recording **out, tg_errors *errors);
TG_API void tg_recording_free(tg_recording *recording); /* NULL is fine */

/* All that follows points into the recording, its module and its arrays. */
typedef struct tg_recording_info {
    const char *kernel;
    size_t kernel_location; /* where it is defined: a number of a location */
    size_t axis_count;      /* of the grid */
    size_t param_count;
    size_t location_count;
    size_t asked_count; /* ranges of elements that findings speak of */
    size_t access_count;
    int64_t steps; /* accesses that were made, whether the log has them or not */
} tg_recording_info;

TG_API tg_recording_info tg_recording_describe(const tg_recording *recording);

typedef struct tg_record_axis {
    const char *name; /* NULL where it has none */
    int64_t size;
    int is_parallel;
} tg_record_axis;

TG_API tg_record_axis tg_recording_axis(const tg_recording *recording,
                                        size_t index); /* index < axis_count */

/* A line of the source; location 0 is unknown. */
typedef struct tg_record_location {
    const char *file; /* "" where unknown, as the function */
    const char *function;
    int64_t line;
} tg_record_location;

TG_API tg_record_location tg_recording_location(const tg_recording *recording,
                                                size_t index); /* index < location_count */

typedef struct tg_record_param {
    const char *role;  /* as in tg_param_info */
    const char *dtype; /* likewise */
    tg_array
        array; /* inputs as they were given, outputs as the run has left them; of scratch no data */
    size_t memory;       /* the parameter whose memory it shares, or it itself */
    int64_t accesses;    /* that the log had no room for */
    int64_t values;      /* elements written whose value it had no room for */
    int64_t since;       /* step of the first access left out; -1: none is */
    int64_t since_asked; /* the same of elements that findings speak of */
} tg_record_param;

TG_API tg_record_param tg_recording_param(const tg_recording *recording,
                                          size_t index); /* index < param_count */

/* Elements [first, last] of a parameter, row-major, that findings speak of. */
typedef struct tg_record_range {
    size_t param;
    int64_t first;
    int64_t last;
} tg_record_range;

TG_API tg_record_range tg_recording_asked(const tg_recording *recording,
                                          size_t index); /* index < asked_count */

/* What one op of one program touched: a strided box of elements. */
typedef struct tg_record_access {
    int64_t step;     /* its number among all accesses, from 0 on; those left out count too */
    int64_t steps;    /* > 1: a series of accesses to one element each, with numbers that follow */
    const char *kind; /* "read", "write" or "atomic" */
    int is_part;      /* it touches parts of elements */
    const char *op;
    size_t location;
    size_t param;    /* of those that share memory with an input: that input */
    int64_t program; /* its place in the grid, row-major */
    int64_t first;   /* element, row-major */
    int rank;        /* of the box */
    const int64_t *count;
    const int64_t *stride; /* in elements */
    /* write, atomic: what the first `value_count` of its elements, row-major, held then, of the
     * parameter's dtype. */
    const void *values;
    int64_t value_count;
} tg_record_access;

TG_API tg_record_access tg_recording_access(const tg_recording *recording,
                                            size_t index); /* index < access_count */

#ifdef __cplusplus
}
#endif

#endif
