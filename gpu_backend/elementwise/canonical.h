/* The canonical form of carriers in registers (lane.h). */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_CANONICAL_H
#define TG_GPU_BACKEND_ELEMENTWISE_CANONICAL_H

#include "gpu_backend/text/writer.h"
#include "ir/type.h"

/* An int's low bits extended, a float carried as f32 rounded to its own format; others as they are,
 * in the very register that was given. */
tg_ptx_reg tg_ptx_finish(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value);

/* An int of up to 32 bits from the low bits of a .b32. */
tg_ptx_reg tg_ptx_wrap(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value);

#endif
