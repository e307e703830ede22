/* Reading a call from XLA, and answering it. */
#ifndef TG_PYTHON_XLA_FRAME_H
#define TG_PYTHON_XLA_FRAME_H

#include <stdbool.h>

#include "ffi_abi.h"
#include "tilegrind/tilegrind.h"

/* The string attribute of that name; .ptr is NULL if there is none. */
tg_ffi_span tg_frame_text(const tg_ffi_frame *frame, const char *name);

/* An XLA error, which copies the formatted message. */
__attribute__((format(printf, 3, 4))) tg_ffi_error *
tg_frame_fail(const tg_ffi_frame *frame, tg_ffi_code code, const char *format, ...);

/* The error for a failed call of the library: all of `errors`, one per line. */
tg_ffi_error *tg_frame_fail_with(const tg_ffi_frame *frame, tg_status status,
                                 const tg_errors *errors);

/* Answers XLA's query for the version and the type of the state, which it sends once at
 * registration. Returns true if this call was that query. */
bool tg_frame_describe(const tg_ffi_frame *frame, tg_ffi_type_id state);

#endif
