/* PTX made ready to launch: by ptxas under a time limit, or by the driver.  The context is
 * entered. */
#ifndef TG_GPU_BACKEND_DEVICE_GPU_MODULE_H
#define TG_GPU_BACKEND_DEVICE_GPU_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "gpu_backend/device/driver.h"
#include "gpu_backend/device/gpu.h"
#include "gpu_backend/device/ptxas.h"
#include "gpu_backend/text/ptx.h"

typedef struct tg_gpu_module {
    struct tg_gpu_module *next;
    uint64_t hash; /* of text */
    char *text, *name;
    tg_cu_module module;
    tg_cu_function entry;
    size_t most_shared; /* bytes that the entry may be launched with */
    unsigned users;     /* 0: kept in case that the text comes again */
} tg_gpu_module;

/* Zero-initialise but for `ptxas`. */
typedef struct tg_gpu_modules {
    tg_gpu_module *first;
    const tg_ptxas *ptxas; /* NULL: the driver alone */
    double ptxas_seconds;  /* how long ptxas may take */
} tg_gpu_modules;

/* The text made ready, or the module that has been made of the same text on this device before.
 * ptxas assembles it where there is one, since the driver's compiler cannot be interrupted; where
 * that gives nothing the driver does.  TG_ERR_INTERNAL with the compiler's log for a text that is
 * wrong, TG_ERR_UNSUPPORTED where driver or device are not up to it or ptxas takes too long. */
tg_status tg_gpu_module_load(tg_gpu *gpu, tg_gpu_modules *modules, const tg_ptx *ptx,
                             tg_gpu_module **out, tg_diags *diags);
void tg_gpu_module_unload(tg_gpu *gpu, tg_gpu_modules *modules, tg_gpu_module *module);
void tg_gpu_module_unload_all(tg_gpu *gpu, tg_gpu_modules *modules);

/* Lets the entry be launched with `bytes` of dynamic shared memory. */
tg_status tg_gpu_module_share(tg_gpu *gpu, tg_gpu_module *module, size_t bytes, tg_diags *diags);

#endif
