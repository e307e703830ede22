/* The emulator as a device. */
#ifndef TG_GPU_BACKEND_DEVICE_DEVICE_EMULATOR_H
#define TG_GPU_BACKEND_DEVICE_DEVICE_EMULATOR_H

#include <stdint.h>

#include "gpu_backend/device/device.h"

/* Returns an emulator.  A `seed` other than 0 perturbs the order of warps and CTAs.  Free it with
 * tg_device_free.  Returns NULL if memory runs out. */
tg_device *tg_device_emulator(uint64_t seed);

#endif
