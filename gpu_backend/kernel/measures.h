/* What a kernel needs: threads, bytes of the workspace, and where they lie. */
#ifndef TG_GPU_BACKEND_KERNEL_MEASURES_H
#define TG_GPU_BACKEND_KERNEL_MEASURES_H

#include <stdbool.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/ptx.h"

/* Allocates the emitter's memory and computes everything that must be known before the first row.
 * `em->plan` must be set.  Returns false if memory runs out. */
bool tg_ptx_prepare(tg_ptx_emitter *em, const tg_ptx_options *options);

#endif
