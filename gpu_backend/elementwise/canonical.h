/* The canonical form of carriers in registers (lane.h). */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_CANONICAL_H
#define TG_GPU_BACKEND_ELEMENTWISE_CANONICAL_H

#include "gpu_backend/text/writer.h"
#include "ir/type.h"

/* Makes a value canonical: extends an int's low bits, rounds a float that f32 carries to its own
 * format.  Returns other values as they are, in the same register. */
tg_ptx_reg tg_ptx_finish(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value);

/* An int of up to 32 bits, from the low bits of a .b32. */
tg_ptx_reg tg_ptx_wrap(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg value);

#endif
