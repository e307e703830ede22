/* Devices by the names that users give them. */
#ifndef TG_GPU_BACKEND_DEVICE_OPEN_H
#define TG_GPU_BACKEND_DEVICE_OPEN_H

#include <stdbool.h>

#include "base/diag.h"
#include "gpu_backend/device/device.h"

/* The device of that name: "emulator", "emulator:SEED", "gpu" or "gpu:NUMBER".  TG_ERR_USAGE for
 * another name, else what tg_device_emulator and tg_device_gpu return.  End it with
 * tg_device_free. */
tg_status tg_device_open(const char *backend, tg_device **out, tg_diags *diags);

/* The number of the GPU that such a name is for; -1 where it is for none. */
int tg_device_gpu_number(const char *backend);

/* Whether such a name is for an emulator. */
bool tg_device_is_emulator(const char *backend);

#endif
