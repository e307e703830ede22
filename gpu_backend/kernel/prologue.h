/* What stands before the walk over the grid: parameters and addresses in registers. */
#ifndef TG_GPU_BACKEND_KERNEL_PROLOGUE_H
#define TG_GPU_BACKEND_KERNEL_PROLOGUE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/emit/emitter.h"
#include "gpu_backend/text/writer.h"
#include "ir/ir.h"

/* Sets what the emitter says of registers; returns the CTA's number, .b64. */
tg_ptx_reg tg_ptx_prologue(tg_ptx_emitter *em);

/* A special register of 32 bits in one of 64. */
tg_ptx_reg tg_ptx_special(tg_ptx_emitter *em, const char *name);

/* Whether a param has an array, which the entry has a parameter for. */
bool tg_ptx_has_array(const tg_kernel *k, uint32_t p);

#endif
