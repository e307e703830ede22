/* Elementary functions: the written forms with registers put in. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_ELEMENTARY_H
#define TG_GPU_BACKEND_ELEMENTWISE_ELEMENTARY_H

#include <stdbool.h>

#include "gpu_backend/elementwise/lane_op.h"
#include "gpu_backend/text/writer.h"

/* An elementary function by its form (forms.h).  False, and nothing written, where the op is none
 * or has none on the dtype.  The writer remembers the table that the form needs. */
bool tg_ptx_elementary(const tg_ptx_lane_op *l, tg_ptx_reg *out);

#endif
