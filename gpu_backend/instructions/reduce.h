/* Reductions, scans and searches along axes.
 *
 * A reduction is the tree of ops.def, level by level in temporary memory: first x[i] op x[i + s]
 * for all i < s, where there is such a partner, then s / 2 and so on, with a barrier between two
 * levels.  Scans and searches are serial along the axis, with one thread for each result. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_REDUCE_H
#define TG_GPU_BACKEND_INSTRUCTIONS_REDUCE_H

#include <stddef.h>

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

/* Bytes of temporary memory that a reduction needs in the workspace. */
size_t tg_ptx_reduce_extra(const struct tg_inst_reduce *reduce);

#endif
