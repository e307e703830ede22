/* GPUs of this machine: what there is for backend "gpu" to run on (docs/gpu.md). */
#ifndef TILEGRIND_GPU_H
#define TILEGRIND_GPU_H

#include "tilegrind/tilegrind.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NVIDIA's driver, found when it is asked for. */
typedef struct tg_driver tg_gpu_driver;

/* Loads and starts libcuda.so.1, or what the environment names in TILEGRIND_LIBCUDA.
 * TG_ERR_UNSUPPORTED with the reason where this machine has none, or none that will do; then *out
 * is NULL. */
TG_API tg_status tg_gpu_driver_open(tg_gpu_driver **out, tg_errors *errors);
TG_API void tg_gpu_driver_close(tg_gpu_driver *driver); /* NULL is fine */

/* Of CUDA: 12040 is 12.4. */
TG_API int tg_gpu_driver_version(const tg_gpu_driver *driver);
TG_API int tg_gpu_driver_count(const tg_gpu_driver *driver); /* GPUs */

typedef struct tg_gpu_properties {
    char name[128];
    int major; /* compute capability */
    int minor;
    int64_t memory_bytes;
    int multiprocessors;
    int is_usable; /* whether its compute capability will do */
} tg_gpu_properties;

/* A GPU, counted from 0.  TG_ERR_USAGE where there is none of that number, TG_ERR_INTERNAL where
 * the driver does not tell; then *out is zeroed. */
TG_API tg_status tg_gpu_driver_describe(const tg_gpu_driver *driver, int number,
                                        tg_gpu_properties *out, tg_errors *errors);

/* ptxas, NVIDIA's assembler of PTX. */
typedef struct tg_gpu_assembler {
    char path[1024];
    char version[32]; /* "13.0.88" */
} tg_gpu_assembler;

/* Looks for it: what the environment names in TILEGRIND_PTXAS (empty: use none) and nothing else,
 * or else in PATH, under CUDA_HOME and CUDA_PATH, and where it is usually installed.
 * TG_ERR_UNSUPPORTED with the reason where there is none, TG_ERR_IO where it cannot be started;
 * then *out is zeroed. */
TG_API tg_status tg_gpu_assembler_find(tg_gpu_assembler *out, tg_errors *errors);

/* Something opened for runs, so that they need not open it each time, which takes long for a GPU.
 */
typedef struct tg_api_device tg_gpu_kept;

/* Sees whether this machine has what tg_run_options.backend names, and keeps it open.  Of
 * interpreter and emulator nothing is kept: *out is NULL.  TG_ERR_USAGE for an unknown backend or
 * number, TG_ERR_UNSUPPORTED with the reason where the GPU cannot be used, TG_ERR_NO_MEMORY; then
 * *out is NULL too. */
TG_API tg_status tg_gpu_keep(const char *backend, tg_gpu_kept **out, tg_errors *errors);
TG_API void tg_gpu_release(tg_gpu_kept *kept); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
