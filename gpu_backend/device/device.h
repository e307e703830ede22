/* Where PTX runs: a GPU, through its driver, or the emulator. */
#ifndef TG_GPU_BACKEND_DEVICE_DEVICE_H
#define TG_GPU_BACKEND_DEVICE_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "gpu_backend/text/ptx.h"

typedef struct tg_device tg_device;

/* One launch of an entry.  All parameters of the entry are .u64. */
typedef struct tg_device_launch {
    uint32_t ctas;
    const uint64_t *params;
    size_t param_count;
    /* Called from time to time; a result other than 0 stops the launch if possible.  NULL: no
     * calls. */
    int (*progress)(void *context, int64_t done, int64_t total);
    void *context;
} tg_device_launch;

/* The functions of a kind of device.  A device serves one thread at a time. */
typedef struct tg_device_kind {
    const char *name; /* "emulator", "gpu" */

    /* Makes the text ready to launch.  The module belongs to the device; free it with `unload`. */
    tg_status (*load)(tg_device *device, const tg_ptx *ptx, void **module, tg_diags *diags);
    void (*unload)(tg_device *device, void *module);

    /* The number of CTAs of the module that the device can run at once; more gain nothing.  At
     * least 1. */
    uint32_t (*resident)(tg_device *device, void *module, const tg_ptx *ptx);

    /* Allocates memory of the device, with arbitrary contents.  `name` is for diagnoses.  May
     * return TG_ERR_NO_MEMORY. */
    tg_status (*alloc)(tg_device *device, size_t bytes, const char *name, uint64_t *address,
                       tg_diags *diags);
    void (*release)(tg_device *device, uint64_t address);
    tg_status (*write)(tg_device *device, uint64_t to, const void *from, size_t bytes,
                       tg_diags *diags);
    tg_status (*read)(tg_device *device, void *to, uint64_t from, size_t bytes, tg_diags *diags);

    /* Runs to the end.  Returns TG_ERR_INTERNAL, with all that is known, if the text did something
     * invalid. */
    tg_status (*launch)(tg_device *device, void *module, const tg_ptx *ptx,
                        const tg_device_launch *launch, tg_diags *diags);
    void (*free)(tg_device *device);
} tg_device_kind;

struct tg_device {
    const tg_device_kind *kind;
    uint64_t instructions; /* executed so far, counted per thread; 0 if the device does not count */
    uint64_t global_loads; /* elements that threads loaded from global memory so far; likewise */
};

void tg_device_free(tg_device *device); /* NULL is fine */

#endif
