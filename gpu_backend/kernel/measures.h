/* How much of everything a kernel takes: threads, bytes of the workspace and where they lie. */
#ifndef TG_GPU_BACKEND_KERNEL_MEASURES_H
#define TG_GPU_BACKEND_KERNEL_MEASURES_H

#include <stdbool.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/ptx.h"

/* Takes the memory of the emitter, whose plan is set, and settles all that is known before the
 * first row.  False without memory. */
bool tg_ptx_prepare(tg_ptx_emitter *em, const tg_ptx_options *options);

#endif
