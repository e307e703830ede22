/* Elementary functions: the rows of forms.h, with registers filled in. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_ELEMENTARY_H
#define TG_GPU_BACKEND_ELEMENTWISE_ELEMENTARY_H

#include <stdbool.h>

#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/text/writer.h"

/* An elementary function by its variant in forms.h.  Returns false, and writes nothing, if the op
 * is not an elementary function or has no variant for the dtype.  The writer remembers the table
 * that the rows need. */
bool tg_ptx_elementary(const tg_ptx_lane_op *l, tg_ptx_reg *out);

#endif
