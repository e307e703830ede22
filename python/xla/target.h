/* The custom-call target: what XLA and Python call in this library.
 *
 * Attributes of a call, all of them text:
 *   module            JSON with one kernel
 *   order, compat, profile, backend
 *                     as in tg_run_options
 *   findings          "raise": they end the call; "warn": they are told; with ":KIND,KIND" that holds for these kinds, and the other
 *                     for the rest; "tell": only those who listen to checks hear of them
 *   checks, target    as in tg_run_options; "none" and "any" where there is no such attribute
 * and of a check:
 *   search            "SHUFFLES,INTERLEAVINGS,SEED", as in tg_check_options: other orders are tried too
 *   fail_on           the least level of findings that "raise" means: "error", "warning" or "note"; each run is told to those who
 *                     listen to checks
 *   suppressions      blocks as a suppression file has them: findings that they cover neither end the call nor are warned of
 * Operands are the sizes of the dynamic axes, then prefetch and input parameters; results are the outputs. */
#ifndef TG_XLA_TARGET_H
#define TG_XLA_TARGET_H

#include "ffi_abi.h"
#include "tilegrind/tilegrind.h"

/* Handlers of XLA's stages, and the type of the state that they share. */
TG_API tg_ffi_error *tg_xla_instantiate(tg_ffi_frame *frame);
TG_API tg_ffi_error *tg_xla_execute(tg_ffi_frame *frame);
TG_API extern tg_ffi_type_id tg_xla_state_id;
TG_API extern tg_ffi_type_info tg_xla_state_info;

typedef enum tg_xla_event {
    TG_XLA_PRINT,  /* the text of a debug_print */
    TG_XLA_WARNING /* findings of a call that only warns of them */
} tg_xla_event;

/* A run of a call with `checks`, to its end; nothing of it lives longer than the call of the listener. */
typedef struct tg_xla_checked {
    const tg_module *module; /* with one kernel */
    const tg_report *report;
    const tg_suppressions *known; /* those of the call; NULL: none */
    /* Per param, a byte or more an element: inputs as they were before the run, outputs as it left them. */
    void *const *data;
    const int64_t *grid; /* sizes of the dynamic axes */
    size_t grid_count;
    const char *target; /* as in tg_run_options */
} tg_xla_checked;

typedef void (*tg_xla_listener)(int event, const char *text);
typedef void (*tg_xla_check_listener)(const tg_xla_checked *checked);

/* Who gets texts, and who the runs of checks, from whatever thread runs a kernel; NULL: nobody.  They return when nobody is
 * being told any more: not to be called by a listener. */
TG_API void tg_xla_listen(tg_xla_listener listener);
TG_API void tg_xla_listen_to_checks(tg_xla_check_listener listener);

/* Since the library was loaded. */
typedef struct tg_xla_counts {
    int64_t runs;     /* of kernels, to their end */
    int64_t programs; /* in those runs */
    int64_t failed;   /* calls that ended with an error */
} tg_xla_counts;

TG_API void tg_xla_count(tg_xla_counts *out);

#endif
