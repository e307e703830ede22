/* The NVIDIA driver, found when it is asked for: building and linking need nothing of CUDA.
 *
 * Prototypes, constants and codes are our own (driver.def), after the documentation of the CUDA
 * Driver API. */
#ifndef TG_GPU_BACKEND_DEVICE_DRIVER_H
#define TG_GPU_BACKEND_DEVICE_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

typedef int tg_cu_result;
typedef int tg_cu_device;
typedef int tg_cu_device_attribute, tg_cu_function_attribute, tg_cu_jit_option;
typedef uint64_t tg_cu_address;
typedef struct tg_cu_context_s *tg_cu_context;
typedef struct tg_cu_module_s *tg_cu_module;
typedef struct tg_cu_function_s *tg_cu_function;
typedef struct tg_cu_stream_s *tg_cu_stream;
typedef struct tg_cu_event_s *tg_cu_event;

enum {
#define TG_CU_CONSTANT(name, value) TG_##name = value,
#include "gpu_backend/device/driver.def"
#define TG_CU_CODE(name, value) TG_CUDA_##name = value,
#include "gpu_backend/device/driver.def"
    TG_OLDEST_DRIVER = 11080,  /* CUDA 11.8: the first that takes PTX 7.8 */
    TG_OLDEST_CAPABILITY = 80, /* sm_80, which the text is for */
};

typedef struct tg_driver {
    void *library;
    int version; /* 12040: CUDA 12.4 */
    int device_total;
#define TG_CU(need, name, symbol, params) tg_cu_result(*name) params;
#include "gpu_backend/device/driver.def"
} tg_driver;

/* One device, as the driver describes it. */
typedef struct tg_gpu_info {
    char name[128];
    int major, minor; /* compute capability */
    size_t memory_bytes;
    int multiprocessors, threads_per_multiprocessor;
    int most_shared_bytes; /* of a CTA, where it asks for them */
} tg_gpu_info;

/* Loads and starts the driver: libcuda.so.1, or what the environment names in TILEGRIND_LIBCUDA.
 * TG_ERR_UNSUPPORTED with the reason where this machine has no driver, only the toolkit's stub
 * of it, one that finds no device, or one older than TG_OLDEST_DRIVER.  Close it with
 * tg_driver_close. */
tg_status tg_driver_open(tg_driver **out, tg_diags *diags);

/* The library stays in the process: it has threads of its own.  NULL is fine. */
void tg_driver_close(tg_driver *driver);

/* TG_ERR_USAGE where there is no device of that number, counted from 0. */
tg_status tg_driver_device(const tg_driver *driver, int number, tg_cu_device *out, tg_diags *diags);
tg_status tg_driver_describe(const tg_driver *driver, tg_cu_device device, tg_gpu_info *out,
                             tg_diags *diags);

/* "CUDA_ERROR_NO_DEVICE"; NULL for a code that is not in driver.def. */
const char *tg_driver_code_name(int code);

/* What a code says of us: TG_ERR_NO_MEMORY, TG_ERR_UNSUPPORTED where driver or device are not up to
 * it, TG_ERR_INTERNAL for all else; TG_OK for success. */
tg_status tg_driver_status(int code);

/* Whether nothing can be done in the context after `code`: the driver then wants a new process. */
int tg_driver_is_sticky(int code);

/* Records "DOING: CALL returned NAME (CODE)" under tg_driver_status; returns that. */
tg_status tg_driver_fail(tg_diags *diags, const char *doing, const char *call, int code);

#endif
