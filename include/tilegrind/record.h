/* A run made once more, with a log of what its programs touched, the history of each element, and of
 * what happened when, its timeline; and timelines as traces. */
#ifndef TILEGRIND_RECORD_H
#define TILEGRIND_RECORD_H

#include "tilegrind/tilegrind.h"

#ifdef __cplusplus
extern "C" {
#endif

/* At most so many; 0: the number in brackets.  Half of accesses and of values is for the elements
 * that findings speak of, and half of events for others than "work". */
typedef struct tg_record_limits {
    size_t size;     /* sizeof(tg_record_limits): lets the struct grow */
    size_t accesses; /* [100000] */
    int64_t values;  /* [500000] elements */
    size_t events;   /* [100000] */
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
    int is_thread; /* programs that differ on it are threads of one */
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

/* ---- the timeline ---- */

/* Time is counted in steps of the run: each instruction that a program executes is one, and so is
 * each moment at which a copy or product beside the programs reads or takes place. */
typedef struct tg_timeline_info {
    size_t event_count;
    int64_t steps;
    int64_t actors;       /* programs that run one after the other are one; see tg_record_event */
    int64_t left_out;     /* events that the log had no room for */
    int64_t left_since;   /* step of the first of them; -1: none is */
    int64_t left_program; /* of that one, as in tg_record_access */
    size_t left_location; /* likewise */
} tg_timeline_info;

TG_API tg_timeline_info tg_recording_timeline(const tg_recording *recording);

enum { TG_RECORD_PLACE = 96 };

/* What happened in the steps begin <= step < end.  Of kind
 *
 *   "work"    a program executed `number` instructions of one source line
 *   "wait"    a program waited for `place`, or found that it need not
 *   "copy", "product", "arrival"
 *             an op beside the programs was under way from `begin`, when a program started it, until
 *             `end`, when a program was sure of it; it took place at `happened`
 *   "signal"  a program arrived at a barrier, raised a semaphore, or wrote what another waited for
 *   "phase"   a phase of a barrier was complete
 *   "print"   a program printed `text` */
typedef struct tg_record_event {
    const char *kind;
    const char *op;
    size_t location;
    int64_t
        program;    /* its place in the grid, row-major; of an op beside: the one that started it */
    int64_t chain;  /* programs of a chain run one after the other, */
    int64_t thread; /* on so many threads of it */
    int64_t begin;
    int64_t end; /* "wait", ops beside the programs: -1 where nothing ended it */
    /* "wait": the event that ended it, "phase": that completed it; -1: not known, or there was no
     * room for it. */
    int64_t by;
    int64_t by_step; /* the step at which that event did so; -1 */
    /* Such as "full[1]".  "wait", "signal", "phase": the barrier or semaphore, or the element; ops
     * beside: the first element that they write, or for "arrival" the barrier.  "": not known. */
    char place[TG_RECORD_PLACE];
    int64_t place_param; /* -1: memory that is no parameter's */
    int64_t owner;       /* "wait", "signal", "phase": the chain that has the place */
    /* "wait", "signal", "phase": the phase of a barrier, or by how much a semaphore changed; -1:
     * neither.  "copy": bytes. */
    int64_t number;
    char source[TG_RECORD_PLACE], second[TG_RECORD_PLACE]; /* that a copy or product reads; "" */
    int64_t read;     /* the step at which a copy of a group has read its source; -1 */
    int64_t happened; /* -1: it did not */
    const char *text; /* of "print"; else NULL */
} tg_record_event;

TG_API tg_record_event tg_recording_event(const tg_recording *recording,
                                          size_t index); /* index < event_count */

/* Says how many events the recording lacks, and where the first of them is: "5 events are left out,
 * the first ...".  "": none is.  Writes at most `size` bytes, NUL included, for which TG_RECORD_LEFT_OUT is
 * enough; returns `out`. */
enum { TG_RECORD_LEFT_OUT = 512 };
TG_API char *tg_recording_left_out(const tg_recording *recording, char *out, size_t size);

/* ---- traces ---- */

/* A recording that a trace shows. */
typedef struct tg_traced {
    const tg_recording *recording;
    const char *device; /* of a mesh: "device 0 (x=0)"; NULL: the run was on none */
} tg_traced;

/* What a trace says of itself. */
typedef struct tg_trace_about {
    const char *order;  /* of the run */
    const char *repeat; /* the command that makes the run again; NULL: none is known */
} tg_trace_about;

/* The timelines of `count` recordings, one or one for each of some devices, as an object of trace events in JSON, which
 * Perfetto and chrome://tracing open (docs/page.md).  The caller frees the text with tg_text_free;
 * NULL with TG_ERR_USAGE for no recording, or TG_ERR_NO_MEMORY. */
TG_API char *tg_trace_text(const tg_traced *list, size_t count, const tg_trace_about *about,
                           tg_errors *errors);

#ifdef __cplusplus
}
#endif

#endif
