/* References to the whole of their memory. */
#ifndef TG_GPU_BACKEND_EMIT_REF_H
#define TG_GPU_BACKEND_EMIT_REF_H

#include <stdint.h>

#include "gpu_backend/emit/emitter.h"

/* Sets the shape, bounds and strides of a ref to those of a dense array that lies wholly inside;
 * leaves the other members alone. */
void tg_ptx_ref_set_whole(tg_ptx_ref *ref, int rank, const int64_t *shape);

#endif
