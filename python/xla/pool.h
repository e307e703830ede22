/* The threads on which XLA runs everything else of a program, as an executor, so that no second set
 * of threads competes with them. */
#ifndef TG_PYTHON_XLA_POOL_H
#define TG_PYTHON_XLA_POOL_H

#include "ffi_abi.h"
#include "tilegrind/executor.h"

/* Fills *out, which is valid during the call from XLA, and returns it; NULL if XLA provides no
 * threads. */
const tg_executor *tg_pool_of(const tg_ffi_frame *frame, tg_executor *out);

#endif
