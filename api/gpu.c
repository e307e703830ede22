/* GPUs of this machine, for users. */
#include "tilegrind/gpu.h"

#include <stdio.h>
#include <string.h>

#include "api/devices.h"
#include "api/errors.h"
#include "gpu_backend/device/driver.h"
#include "gpu_backend/device/ptxas.h"

tg_status tg_gpu_driver_open(tg_gpu_driver **out, tg_errors *errors)
{
    tg_diags unwanted = {0};
    *out = NULL;
    const tg_status status = tg_driver_open(out, tg_api_diags(errors, &unwanted));
    tg_diags_free(&unwanted);
    return status;
}

void tg_gpu_driver_close(tg_gpu_driver *driver) { tg_driver_close(driver); }

int tg_gpu_driver_version(const tg_gpu_driver *driver) { return driver->version; }

int tg_gpu_driver_count(const tg_gpu_driver *driver) { return driver->device_total; }

tg_status tg_gpu_driver_describe(const tg_gpu_driver *driver, int number, tg_gpu_properties *out,
                                 tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    tg_cu_device device;
    tg_gpu_info info;
    *out = (tg_gpu_properties){.name = ""};
    tg_status status = tg_driver_device(driver, number, &device, diags);
    if (status == TG_OK) status = tg_driver_describe(driver, device, &info, diags);
    if (status == TG_OK) {
        *out =
            (tg_gpu_properties){.major = info.major,
                                .minor = info.minor,
                                .memory_bytes = (int64_t)info.memory_bytes,
                                .multiprocessors = info.multiprocessors,
                                .is_usable = info.major * 10 + info.minor >= TG_OLDEST_CAPABILITY};
        snprintf(out->name, sizeof out->name, "%s", info.name);
    }
    tg_diags_free(&unwanted);
    return status;
}

tg_status tg_gpu_assembler_find(tg_gpu_assembler *out, tg_errors *errors)
{
    tg_diags unwanted = {0};
    tg_ptxas found;
    *out = (tg_gpu_assembler){.path = ""};
    const tg_status status = tg_ptxas_find(&found, tg_api_diags(errors, &unwanted));
    if (status == TG_OK) {
        snprintf(out->path, sizeof out->path, "%s", found.path);
        snprintf(out->version, sizeof out->version, "%s", found.version);
    }
    tg_diags_free(&unwanted);
    return status;
}

tg_status tg_gpu_keep(const char *backend, tg_gpu_kept **out, tg_errors *errors)
{
    tg_diags unwanted = {0};
    *out = NULL;
    if (!backend || strcmp(backend, "cpu") == 0) return TG_OK;
    const tg_status status = tg_api_device_open(backend, out, tg_api_diags(errors, &unwanted));
    tg_diags_free(&unwanted);
    if (status == TG_OK && (*out)->number < 0) { /* an emulator, which each user has for itself */
        tg_api_device_close(*out);
        *out = NULL;
    }
    return status;
}

void tg_gpu_release(tg_gpu_kept *kept) { tg_api_device_close(kept); }
