/* The threads on which XLA runs everything else of a program, as an executor: so no second set of threads competes with them. */
#ifndef TG_PYTHON_XLA_POOL_H
#define TG_PYTHON_XLA_POOL_H

#include "ffi_abi.h"
#include "tilegrind/executor.h"

/* Fills *out, which is then good for as long as the call of XLA's, and returns it; NULL where XLA lends no threads. */
const tg_executor *tg_pool_of(const tg_ffi_frame *frame, tg_executor *out);

#endif
