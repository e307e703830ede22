/* An NVIDIA GPU as a device. */
#ifndef TG_GPU_BACKEND_DEVICE_DEVICE_GPU_H
#define TG_GPU_BACKEND_DEVICE_DEVICE_GPU_H

#include "base/diag.h"
#include "gpu_backend/device/device.h"

/* The NVIDIA GPU of that number, by the driver that this machine has (driver.h).
 * TG_ERR_UNSUPPORTED with the reason where there is no driver or the GPU is too old, TG_ERR_USAGE
 * where there is no such number.  End it with tg_device_free. */
tg_status tg_device_gpu(int number, tg_device **out, tg_diags *diags);

/* Seconds that the last launch took by the clock of the GPU, copies not counted; 0 before the
 * first.  `device` comes from tg_device_gpu. */
double tg_device_gpu_seconds(const tg_device *device);

#endif
