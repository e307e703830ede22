/* The parts of the device on a GPU: its context, its guarded memory, its modules. */
#ifndef TG_GPU_BACKEND_DEVICE_GPU_H
#define TG_GPU_BACKEND_DEVICE_GPU_H

#include <stdbool.h>

#include "gpu_backend/device/device.h"
#include "gpu_backend/device/driver.h"
#include "gpu_backend/device/ptxas.h"

/* A device's primary context, which all users of the device in this process share, and a stream of our own. */
typedef struct tg_gpu {
    tg_driver *driver;
    tg_cu_device number;
    tg_gpu_info info;
    tg_cu_context context;
    tg_cu_stream stream;
    int broken; /* the code after which the context takes no more calls, or 0 */
} tg_gpu;

/* Records a code other than success, as tg_driver_fail does, and remembers one that breaks the context. */
tg_status tg_gpu_check(tg_gpu *gpu, int code, const char *doing, const char *call, tg_diags *diags);

/* Copies and waits until all is where it should be. */
tg_status tg_gpu_write(tg_gpu *gpu, uint64_t to, const void *from, size_t bytes, tg_diags *diags);
tg_status tg_gpu_read(tg_gpu *gpu, void *to, uint64_t from, size_t bytes, tg_diags *diags);

/* ---- memory (gpu_memory.c) ---- */

/* An allocation: a guard, the bytes asked for, a guard. */
typedef struct tg_gpu_block tg_gpu_block;

/* Zero-initialise. */
typedef struct tg_gpu_memory {
    tg_gpu_block *blocks;
} tg_gpu_memory;

/* At least one byte, on a multiple of 256; contents are arbitrary.  TG_ERR_NO_MEMORY, or what the driver says. */
tg_status tg_gpu_take(tg_gpu *gpu, tg_gpu_memory *memory, size_t bytes, const char *name,
                      uint64_t *address, tg_diags *diags);
void tg_gpu_give_back(tg_gpu *gpu, tg_gpu_memory *memory, uint64_t address);
void tg_gpu_give_back_all(tg_gpu *gpu, tg_gpu_memory *memory);

/* Whether `bytes` bytes from `address` on lie within one allocation. */
bool tg_gpu_holds(const tg_gpu_memory *memory, uint64_t address, size_t bytes);

/* TG_ERR_INTERNAL with the array, the side and the distance where a guard is not as it was; it is then made
 * whole again, so that each fault is told once. */
tg_status tg_gpu_check_guards(tg_gpu *gpu, const tg_gpu_memory *memory, tg_diags *diags);

/* ---- modules (gpu_module.c) ---- */

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

/* The text made ready, or the module that has been made of the same text on this device before.  ptxas
 * assembles it where there is one, since the driver's compiler cannot be interrupted; where that gives nothing the
 * driver does.  TG_ERR_INTERNAL with the compiler's log for a text that is wrong, TG_ERR_UNSUPPORTED where driver or
 * device are not up to it or ptxas takes too long. */
tg_status tg_gpu_module_load(tg_gpu *gpu, tg_gpu_modules *modules, const tg_ptx *ptx,
                             tg_gpu_module **out, tg_diags *diags);
void tg_gpu_module_unload(tg_gpu *gpu, tg_gpu_modules *modules, tg_gpu_module *module);
void tg_gpu_module_unload_all(tg_gpu *gpu, tg_gpu_modules *modules);

/* Lets the entry be launched with `bytes` of dynamic shared memory. */
tg_status tg_gpu_module_share(tg_gpu *gpu, tg_gpu_module *module, size_t bytes, tg_diags *diags);

#endif
