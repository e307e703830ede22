/* The custom-call target: the functions of this library that XLA and Python call.
 *
 * Attributes of a call, all of them text:
 *   module            JSON with one kernel
 *   order, compat, profile, backend
 *                     as in tg_run_options
 *   findings          "raise": they end the call; "warn": the listener gets them; with ":KIND,KIND"
 *                     this applies to these kinds, and the other treatment to the rest; "tell":
 *                     only the listener for checks gets them
 *   checks, target, max_steps, tensor_core
 *                     as in tg_run_options, a number as text; default: "none", "any", "0" and "exact"
 * and of a check:
 *   search            "SHUFFLES,INTERLEAVINGS,SEED", as in tg_check_options: runs in other orders
 *                     too
 *   fail_on           the least level of findings to which "raise" applies: "error", "warning", "note"
 *                     or "advice"; the listener for checks gets each run
 *   suppressions      blocks in the syntax of a suppression file: findings that they cover neither
 *                     end the call nor cause a warning
 * Operands are the sizes of the dynamic axes, then prefetch and input parameters; results are the
 * outputs. */
#ifndef TG_PYTHON_XLA_TARGET_H
#define TG_PYTHON_XLA_TARGET_H

#include "ffi_abi.h"
#include "tilegrind/tilegrind.h"

/* Handlers of XLA's stages, and the type of their common state. */
TG_API tg_ffi_error *tg_xla_instantiate(tg_ffi_frame *frame);
TG_API tg_ffi_error *tg_xla_execute(tg_ffi_frame *frame);
TG_API extern tg_ffi_type_id tg_xla_state_id;
TG_API extern tg_ffi_type_info tg_xla_state_info;

/* Counters since the library was loaded. */
typedef struct tg_xla_counts {
    int64_t runs;     /* finished runs of kernels */
    int64_t programs; /* programs in those runs */
    int64_t failed;   /* calls that ended with an error */
} tg_xla_counts;

TG_API void tg_xla_count(tg_xla_counts *out);

#endif
