/* Opens devices by the names that users give. */
#ifndef TG_GPU_BACKEND_DEVICE_OPEN_H
#define TG_GPU_BACKEND_DEVICE_OPEN_H

#include <stdbool.h>

#include "base/diag.h"
#include "gpu_backend/device/device.h"

/* Opens a device by name: "emulator", "emulator:SEED", "gpu" or "gpu:NUMBER".  Returns TG_ERR_USAGE
 * for another name, else what tg_device_emulator or tg_device_gpu return.  Free it with
 * tg_device_free. */
tg_status tg_device_open(const char *backend, tg_device **out, tg_diags *diags);

/* The number of the GPU that the name means; -1 if it means none. */
int tg_device_gpu_number(const char *backend);

/* Whether the name means an emulator. */
bool tg_device_is_emulator(const char *backend);

/* Records that the name is not that of a backend; returns TG_ERR_USAGE. */
tg_status tg_device_unknown(const char *backend, tg_diags *diags);

#endif
