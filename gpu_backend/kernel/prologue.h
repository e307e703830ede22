/* The prologue, which precedes the walk over the grid: parameters and addresses in registers. */
#ifndef TG_GPU_BACKEND_KERNEL_PROLOGUE_H
#define TG_GPU_BACKEND_KERNEL_PROLOGUE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"
#include "ir/ir.h"

/* Sets the registers of the emitter; returns the CTA's index, .b64. */
tg_ptx_reg tg_ptx_prologue(tg_ptx_emitter *em);

/* A 32-bit special register, extended to 64 bits. */
tg_ptx_reg tg_ptx_special(tg_ptx_emitter *em, const char *name);

/* Whether a param has an array, for which the entry then has a parameter. */
bool tg_ptx_has_array(const tg_kernel *k, uint32_t p);

#endif
