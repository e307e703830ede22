/* The barriers of a chain: mbarriers in shared memory. */
#ifndef TG_GPU_BACKEND_KERNEL_BARRIERS_H
#define TG_GPU_BACKEND_KERNEL_BARRIERS_H

#include "gpu_backend/emit/emitter.h"

/* Sets the refs of scratch of barriers, and the registers of their parities. */
void tg_ptx_barriers_find(tg_ptx_emitter *em);

/* A chain begins: the CTA's first thread makes the barriers.  A barrier of the CTA must follow before
 * others use them. */
void tg_ptx_barriers_begin(tg_ptx_emitter *em);

/* The chain ends, behind a barrier of the CTA. */
void tg_ptx_barriers_end(tg_ptx_emitter *em);

#endif
