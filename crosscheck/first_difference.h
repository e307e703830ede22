/* Where two backends part: the first op whose block differs, found by the logs of what ops leave
 * (plan/trace.h). */
#ifndef TG_CROSSCHECK_FIRST_DIFFERENCE_H
#define TG_CROSSCHECK_FIRST_DIFFERENCE_H

#include "gpu_backend/device/device.h"
#include "loaders/case.h"

typedef enum tg_first_kind {
    TG_FIRST_BLOCK,   /* an op leaves another block */
    TG_FIRST_PATH,    /* all blocks so far are the same, but other ops come next */
    TG_FIRST_STORE,   /* all ops leave the same, but memory does not end up the same */
    TG_FIRST_NONE,    /* with a log in the making, both end up the same */
    TG_FIRST_TOO_LONG /* the logs are the same as far as they were looked at */
} tg_first_kind;

/* An op that a program executes.  Of the second log, where that is over, and of no op: `op` is
 * NULL. */
typedef struct tg_first_place {
    const char *op;   /* its name */
    const tg_loc *at; /* belongs to the module; line 0: unknown */
    int64_t program[TG_MAX_AXES];
    int64_t visit; /* 1: for the first time in this program */
} tg_first_place;

typedef struct tg_first_difference {
    tg_first_kind kind;
    const tg_kernel *kernel;
    int64_t grid[TG_MAX_AXES]; /* sizes of its axes */
    tg_first_place place; /* BLOCK, PATH; STORE: who wrote the element last, in the interpreter */
    tg_first_place other; /* PATH: of the other backend */
    /* BLOCK, STORE: */
    const char *output; /* STORE: name of the array; belongs to the module */
    tg_type type;       /* of the block or array */
    int64_t element;    /* number of the first that differs, row-major */
    int64_t differing;  /* how many do */
    uint64_t bits[2];  /* patterns as memory holds them: of the interpreter, of the other backend */
    uint64_t ulps;     /* between them (report/compare.h) */
    uint64_t compared; /* bytes of each log that were looked at */
} tg_first_difference;

typedef struct tg_first_settings {
    tg_device *device;          /* what the interpreter is held against */
    size_t window;              /* bytes of a log that are held at a time; 0: 4 MiB */
    uint32_t most_windows;      /* the case runs twice for each of them at the most; 0: 256 */
    tg_tensor_core tensor_core; /* of both */
} tg_first_settings;

/* Runs the case again, on the interpreter and on the device, in sequential order and with one CTA,
 * profile reference, compat strict.  NaN is NaN whatever its bits.  Returns what planning, loading
 * or a run returns, with the reason in `diags`; *out is filled where that is TG_OK. */
tg_status tg_first_difference_find(const tg_case *c, const tg_first_settings *settings,
                                   tg_first_difference *out, tg_diags *diags);

/* One line for people, without an end; `backend` names the other one.  Returns `out`. */
enum { TG_FIRST_TEXT = 1024 };
char *tg_first_difference_print(const tg_first_difference *first, const char *backend,
                                char out[TG_FIRST_TEXT]);

#endif
