/* What the plan shows of the block of a cluster that an instruction is about. */
#ifndef TG_GPU_BACKEND_EMIT_OWN_BLOCK_H
#define TG_GPU_BACKEND_EMIT_OWN_BLOCK_H

#include <stdbool.h>

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* Whether a scalar is the own block's coordinate along dimension d of the cluster: the index of the program on that
 * thread axis, maybe converted.  False also where it is that, but the plan does not show it. */
bool tg_ptx_is_own_coordinate(const tg_ptx_emitter *em, const tg_operand *scalar, int d);

#endif
