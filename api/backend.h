/* What runs kernels: the interpreter, and PTX on a device.  Each is one row of a table, found by
 * the option's name.  Nothing here points into what a backend keeps for itself, so that one may be
 * another process. */
#ifndef TG_API_BACKEND_H
#define TG_API_BACKEND_H

#include "api/options.h"
#include "interp/state/observer.h"
#include "run/run.h"

/* What users may ask of runs and only some backends do. */
typedef enum tg_backend_ability {
    TG_BACKEND_CHECKS = 1 << 0,
    TG_BACKEND_COMPAT = 1 << 1, /* another one than strict */
    TG_BACKEND_TARGET = 1 << 2, /* another one than any */
    TG_BACKEND_TRAPS = 1 << 3,
    TG_BACKEND_MAX_STEPS = 1 << 4,
    TG_BACKEND_ORDERS = 1 << 5 /* others than sequential and parallel */
} tg_backend_ability;

/* A run of a kernel that has been made ready. */
typedef struct tg_backend_run {
    void *const *data; /* per param: see tg_runner_run */
    const int64_t *dynamic_grid;
    const tg_executor *executor; /* NULL: that of the options; devices have no use for one */
    tg_findings *findings;
} tg_backend_run;

typedef struct tg_backend {
    const char *name; /* "cpu": as reports tell it */
    unsigned can;     /* tg_backend_ability bits */

    /* Whether an option's text is for this backend: "gpu:1". */
    bool (*is_named)(const char *text);

    /* Makes the plan ready for any number of runs, as the job says, which asks for nothing that the
     * backend lacks.  *kernel is the backend's own, and what the functions below take.
     * TG_ERR_UNSUPPORTED for an op that it lacks, with its place. */
    tg_status (*prepare)(const tg_run_job *job, void **kernel, tg_diags *diags);
    void (*release)(void *kernel);

    /* Runs all programs.  Returns what tg_runner_run does; threads may call it at the same time. */
    tg_status (*run)(void *kernel, const tg_backend_run *run, tg_run_result *result,
                     tg_diags *diags);

    /* As tg_order_search_run: `data` has the outputs of order sequential.  NULL: it makes no
     * checks. */
    tg_status (*search)(void *kernel, const tg_backend_run *run, const tg_order *orders,
                        size_t order_count, tg_diags *diags);

    /* Runs all programs without checks and prints, and tells the observer what they touch, and the
     * detector what they do.  NULL: nobody can look on. */
    tg_status (*observe)(void *kernel, const tg_backend_run *run, const tg_observer *observer,
                         const tg_added_detector *detector, tg_diags *diags);
} tg_backend;

/* The rows of api/backends.def. */
#define TG_BACKEND(id, texts, what) extern const tg_backend tg_backend_##id;
#include "api/backends.def"

/* The backend of an option's text, as "emulator" or "gpu:1"; that of NULL is the interpreter.  NULL
 * where the text is for none. */
const tg_backend *tg_backend_find(const char *text);

/* Finds the backend that the job's options name, sees to it that the backend can do what they ask
 * for, and makes the plan ready.  TG_ERR_USAGE or TG_ERR_UNSUPPORTED with what the backend lacks,
 * else what `prepare` returns. */
tg_status tg_backend_prepare(const tg_run_job *job, const tg_backend **backend, void **kernel,
                             tg_diags *diags);

/* TG_ERR_USAGE where the backend (NULL: an unknown one) makes no checks; `text` is the option's, or
 * NULL where it is no longer known. */
tg_status tg_backend_need_search(const tg_backend *backend, const char *text, tg_diags *diags);

/* TG_ERR_USAGE where nobody can look on at the backend's runs. */
tg_status tg_backend_need_observe(const tg_backend *backend, tg_diags *diags);

#endif
