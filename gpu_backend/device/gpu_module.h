/* Makes PTX ready to launch: with ptxas under a time limit, or with the driver.  Callers have
 * entered the context. */
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
    uint64_t hash; /* of `text` */
    char *text, *name;
    tg_cu_module module;
    tg_cu_function entry;
    size_t most_shared; /* most bytes of shared memory that the entry may be launched with */
    unsigned users;     /* 0: kept for the next load of the same text */
} tg_gpu_module;

/* Zero-initialise all but `ptxas`. */
typedef struct tg_gpu_modules {
    tg_gpu_module *first;
    const tg_ptxas *ptxas; /* NULL: only the driver compiles */
    double ptxas_seconds;  /* time limit for ptxas */
} tg_gpu_modules;

/* Makes the text ready, or returns the module of the same text from before.  ptxas assembles it
 * where there is one, since the driver's compiler cannot be interrupted; if that does not yield a
 * module, the driver compiles it.  Returns TG_ERR_INTERNAL with the compiler's log for an invalid
 * text, TG_ERR_UNSUPPORTED if driver or device lack something or ptxas takes too long. */
tg_status tg_gpu_module_load(tg_gpu *gpu, tg_gpu_modules *modules, const tg_ptx *ptx,
                             tg_gpu_module **out, tg_diags *diags);
void tg_gpu_module_unload(tg_gpu *gpu, tg_gpu_modules *modules, tg_gpu_module *module);
void tg_gpu_module_unload_all(tg_gpu *gpu, tg_gpu_modules *modules);

/* Allows launches of the entry with `bytes` bytes of dynamic shared memory. */
tg_status tg_gpu_module_share(tg_gpu *gpu, tg_gpu_module *module, size_t bytes, tg_diags *diags);

#endif
