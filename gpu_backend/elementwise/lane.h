/* One element of an element-wise op as PTX rows: registers in, a register out, no memory.
 *
 * Registers hold carriers (ir/type.h), in the class of tg_ptx_class_of and in canonical form: ints
 * of less than 32 bits extended by sign or zeros to 32, ints of 2 and 4 bits wrapped, narrow floats
 * rounded to their own format and held as f32.  Every float operation names its rounding; nothing
 * is contracted or flushed to zero, and only tg_ptx_lane_fast (fast.h) approximates. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_LANE_H
#define TG_GPU_BACKEND_ELEMENTWISE_LANE_H

#include <stdbool.h>

#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/text/writer.h"

/* Any element-wise op of ops.def except convert.  The result is a new register of the result's
 * class (for comparisons, that of bool).  Returns false, and writes nothing, if the op does not
 * exist on that dtype.  Elementary functions may need a table in the module; the writer remembers
 * it. */
bool tg_ptx_lane(const tg_ptx_lane_op *l, tg_ptx_reg *out);

#endif
