/* An NVIDIA GPU as a device. */
#ifndef TG_GPU_BACKEND_DEVICE_DEVICE_GPU_H
#define TG_GPU_BACKEND_DEVICE_DEVICE_GPU_H

#include "base/diag.h"
#include "gpu_backend/device/device.h"

/* Opens the NVIDIA GPU with that number through this machine's driver (driver.h).  Returns
 * TG_ERR_UNSUPPORTED with the reason if there is no driver or the GPU is too old, TG_ERR_USAGE if
 * no GPU has that number.  Free it with tg_device_free. */
tg_status tg_device_gpu(int number, tg_device **out, tg_diags *diags);

/* Seconds that the last launch took by the GPU's clock, without copies; 0 before the first launch.
 * `device` comes from tg_device_gpu. */
double tg_device_gpu_seconds(const tg_device *device);

#endif
