/* The custom-call target: what XLA and Python call in this library.
 *
 * Attributes of a call: `module` (JSON with one kernel), `order`, `compat`, `profile`, `backend`, `findings`
 * ("raise" or "warn").
 * Operands are the sizes of the dynamic axes, then prefetch and input parameters; results are the outputs. */
#ifndef TG_XLA_TARGET_H
#define TG_XLA_TARGET_H

#include "ffi_abi.h"
#include "tilegrind/status.h"

/* Handlers of XLA's stages, and the type of the state that they share. */
TG_API tg_ffi_error *tg_xla_instantiate(tg_ffi_frame *frame);
TG_API tg_ffi_error *tg_xla_execute(tg_ffi_frame *frame);
TG_API extern tg_ffi_type_id tg_xla_state_id;
TG_API extern tg_ffi_type_info tg_xla_state_info;

typedef enum tg_xla_event {
    TG_XLA_PRINT,  /* the text of a debug_print */
    TG_XLA_WARNING /* findings of a call that only warns of them */
} tg_xla_event;

/* Who gets texts, from whatever thread runs a kernel; NULL: nobody, they are dropped.  Returns when nobody is
 * being told any more: not to be called by a listener. */
TG_API void tg_xla_listen(void (*listener)(int event, const char *text));

/* Since the library was loaded. */
typedef struct tg_xla_counts {
    int64_t runs;     /* of kernels, to their end */
    int64_t programs; /* in those runs */
    int64_t failed;   /* calls that ended with an error */
} tg_xla_counts;

TG_API void tg_xla_count(tg_xla_counts *out);

#endif
