#include "gpu_backend/device/device.h"

void tg_device_free(tg_device *device)
{
    if (device) device->kind->free(device);
}
