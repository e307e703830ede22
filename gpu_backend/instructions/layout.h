/* The map of a layout of addresses, as rows. */
#ifndef TG_GPU_BACKEND_INSTRUCTIONS_LAYOUT_H
#define TG_GPU_BACKEND_INSTRUCTIONS_LAYOUT_H

#include "gpu_backend/emit/emitter.h"
#include "layout/axe.h"

/* Where the layout, of addresses, puts element `number`, which a register holds. */
tg_ptx_uniform tg_ptx_laid_out(tg_ptx_emitter *em, const tg_axe *layout, tg_ptx_uniform number);

#endif
