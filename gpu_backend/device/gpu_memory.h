/* Device memory between guards: bytes of a known pattern that no correct kernel changes.  Callers
 * have entered the context. */
#ifndef TG_GPU_BACKEND_DEVICE_GPU_MEMORY_H
#define TG_GPU_BACKEND_DEVICE_GPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "gpu_backend/device/gpu.h"

/* An allocation: a guard, the bytes asked for, a guard. */
typedef struct tg_gpu_block tg_gpu_block;

/* Zero-initialise. */
typedef struct tg_gpu_memory {
    tg_gpu_block *blocks;
} tg_gpu_memory;

/* tg_gpu_take allocates at least one byte, at a multiple of 256, with arbitrary contents.  Returns
 * TG_ERR_NO_MEMORY, or the status of the driver's error. */
tg_status tg_gpu_take(tg_gpu *gpu, tg_gpu_memory *memory, size_t bytes, const char *name,
                      uint64_t *address, tg_diags *diags);
void tg_gpu_give_back(tg_gpu *gpu, tg_gpu_memory *memory, uint64_t address);
void tg_gpu_give_back_all(tg_gpu *gpu, tg_gpu_memory *memory);

/* Whether the `bytes` bytes from `address` on lie within one allocation. */
bool tg_gpu_holds(const tg_gpu_memory *memory, uint64_t address, size_t bytes);

/* Returns TG_ERR_INTERNAL with the array, the side and the distance if a guard has changed.  The
 * guard is then restored, so that each fault is reported once. */
tg_status tg_gpu_check_guards(tg_gpu *gpu, const tg_gpu_memory *memory, tg_diags *diags);

#endif
