/* References to a part of what another one refers to: slices and positions, and parts of a length
 * known at run time. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_VIEW_H
#define TG_GPU_BACKEND_INSTRUCTIONS_VIEW_H

#include "gpu_backend/emit/emitter.h"
#include "plan/plan.h"

void tg_ptx_ref_view(tg_ptx_emitter *em, const struct tg_inst_view *view);
void tg_ptx_ref_part(tg_ptx_emitter *em, const struct tg_inst_part *part);

#endif
