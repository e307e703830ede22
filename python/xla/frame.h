/* What a call from XLA brings, and how it is answered. */
#ifndef TG_PYTHON_XLA_FRAME_H
#define TG_PYTHON_XLA_FRAME_H

#include <stdbool.h>

#include "ffi_abi.h"
#include "tilegrind/tilegrind.h"

/* The string attribute of that name; .ptr is NULL where there is none. */
tg_ffi_span tg_frame_text(const tg_ffi_frame *frame, const char *name);

/* An error of XLA's, which takes a copy of the formatted message. */
__attribute__((format(printf, 3, 4))) tg_ffi_error *
tg_frame_fail(const tg_ffi_frame *frame, tg_ffi_code code, const char *format, ...);

/* The error for a call of the library that failed: all of `errors`, one a line. */
tg_ffi_error *tg_frame_fail_with(const tg_ffi_frame *frame, tg_status status,
                                 const tg_errors *errors);

/* Answers XLA's question for the version and the type of the state, which comes once at registration: true if
 * this call was that question. */
bool tg_frame_describe(const tg_ffi_frame *frame, tg_ffi_type_id state);

#endif
