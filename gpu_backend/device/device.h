/* What PTX is launched on: a GPU by its driver, or the emulator. */
#ifndef TG_GPU_BACKEND_DEVICE_DEVICE_H
#define TG_GPU_BACKEND_DEVICE_DEVICE_H

#include "gpu_backend/ptx.h"

typedef struct tg_device tg_device;

/* One launch of an entry, all of whose parameters are .u64. */
typedef struct tg_device_launch {
    uint32_t ctas;
    const uint64_t *params;
    size_t param_count;
    /* Called now and then; another result than 0 stops the launch where that is possible.  NULL: none. */
    int (*progress)(void *context, int64_t done, int64_t total);
    void *context;
} tg_device_launch;

/* A kind of device: its functions.  A device serves one thread at a time. */
typedef struct tg_device_kind {
    const char *name; /* "emulator", "gpu" */

    /* Makes the text ready to launch.  The module belongs to the device; free it with `unload`. */
    tg_status (*load)(tg_device *device, const tg_ptx *ptx, void **module, tg_diags *diags);
    void (*unload)(tg_device *device, void *module);

    /* How many CTAs of the module can be on the device at once: more of them gain nothing.  At least 1. */
    uint32_t (*resident)(tg_device *device, void *module, const tg_ptx *ptx);

    /* Memory of the device, of arbitrary contents.  `name` is for diagnoses.  TG_ERR_NO_MEMORY. */
    tg_status (*alloc)(tg_device *device, size_t bytes, const char *name, uint64_t *address,
                       tg_diags *diags);
    void (*release)(tg_device *device, uint64_t address);
    tg_status (*write)(tg_device *device, uint64_t to, const void *from, size_t bytes,
                       tg_diags *diags);
    tg_status (*read)(tg_device *device, void *to, uint64_t from, size_t bytes, tg_diags *diags);

    /* Runs to the end.  TG_ERR_INTERNAL, with all that is known, where the text did what no text may do. */
    tg_status (*launch)(tg_device *device, void *module, const tg_ptx *ptx,
                        const tg_device_launch *launch, tg_diags *diags);
    void (*free)(tg_device *device);
} tg_device_kind;

struct tg_device {
    const tg_device_kind *kind;
    uint64_t instructions; /* executed so far, counted for each thread; 0 where nobody counts */
    uint64_t
        global_loads; /* elements that threads have loaded from global memory so far; likewise */
};

/* The device of that name: "emulator", "emulator:SEED", "gpu" or "gpu:NUMBER".  TG_ERR_USAGE for another name, else what the
 * functions below return. */
tg_status tg_device_open(const char *backend, tg_device **out, tg_diags *diags);

/* The number of the GPU that such a name is for; -1 where it is for none. */
int tg_device_gpu_number(const char *backend);

/* The emulator; `seed` other than 0 perturbs the order of warps and of CTAs.  NULL without memory. */
tg_device *tg_device_emulator(uint64_t seed);

/* The NVIDIA GPU of that number, by the driver that this machine has (gpu_backend/device/driver.h).  TG_ERR_UNSUPPORTED with
 * the reason where there is no driver or the GPU is too old, TG_ERR_USAGE where there is no such number. */
tg_status tg_device_gpu(int number, tg_device **out, tg_diags *diags);

/* Seconds that the last launch took by the clock of the GPU, copies not counted; 0 before the first.  `device` comes from
 * tg_device_gpu. */
double tg_device_gpu_seconds(const tg_device *device);

void tg_device_free(tg_device *device); /* NULL is fine */

#endif
