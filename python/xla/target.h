/* The custom-call target: what XLA and Python call in this library.
 *
 * Attributes of a call, all of them text:
 *   module            JSON with one kernel
 *   order, compat, profile, backend
 *                     as in tg_run_options
 *   findings          "raise": they end the call; "warn": they are told; with ":KIND,KIND" that holds for these kinds, and the other
 *                     for the rest; "tell": only those who listen to checks hear of them
 *   checks, target, max_steps
 *                     as in tg_run_options, a number as text; "none", "any" and "0" where there is no such attribute
 * and of a check:
 *   search            "SHUFFLES,INTERLEAVINGS,SEED", as in tg_check_options: other orders are tried too
 *   fail_on           the least level of findings that "raise" means: "error", "warning" or "note"; each run is told to those who
 *                     listen to checks
 *   suppressions      blocks as a suppression file has them: findings that they cover neither end the call nor are warned of
 * Operands are the sizes of the dynamic axes, then prefetch and input parameters; results are the outputs. */
#ifndef TG_PYTHON_XLA_TARGET_H
#define TG_PYTHON_XLA_TARGET_H

#include "ffi_abi.h"
#include "tilegrind/tilegrind.h"

/* Handlers of XLA's stages, and the type of the state that they share. */
TG_API tg_ffi_error *tg_xla_instantiate(tg_ffi_frame *frame);
TG_API tg_ffi_error *tg_xla_execute(tg_ffi_frame *frame);
TG_API extern tg_ffi_type_id tg_xla_state_id;
TG_API extern tg_ffi_type_info tg_xla_state_info;

/* Since the library was loaded. */
typedef struct tg_xla_counts {
    int64_t runs;     /* of kernels, to their end */
    int64_t programs; /* in those runs */
    int64_t failed;   /* calls that ended with an error */
} tg_xla_counts;

TG_API void tg_xla_count(tg_xla_counts *out);

#endif
