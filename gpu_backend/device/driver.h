/* The NVIDIA driver, loaded at run time: building and linking need nothing of CUDA.
 *
 * Prototypes, constants and codes are our own (driver.def), written after the documentation of the
 * CUDA Driver API. */
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
    TG_OLDEST_DRIVER = 11080,  /* CUDA 11.8: the first that accepts PTX 7.8 */
    TG_OLDEST_CAPABILITY = 80, /* sm_80, the default target of the text */
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
    int most_shared_bytes; /* the most that a CTA can get by opting in */
} tg_gpu_info;

/* Loads and starts the driver: libcuda.so.1, or the library that the environment variable
 * TILEGRIND_LIBCUDA names.  Returns TG_ERR_UNSUPPORTED with the reason if this machine has no
 * driver, only the toolkit's stub of it, one that finds no device, or one older than
 * TG_OLDEST_DRIVER.  Close it with tg_driver_close. */
tg_status tg_driver_open(tg_driver **out, tg_diags *diags);

/* Keeps the library loaded, since it has threads of its own.  NULL is fine. */
void tg_driver_close(tg_driver *driver);

/* Returns TG_ERR_USAGE if no device has that number; devices count from 0. */
tg_status tg_driver_device(const tg_driver *driver, int number, tg_cu_device *out, tg_diags *diags);
tg_status tg_driver_describe(const tg_driver *driver, tg_cu_device device, tg_gpu_info *out,
                             tg_diags *diags);

/* The name of a code, such as "CUDA_ERROR_NO_DEVICE"; NULL if driver.def does not list it. */
const char *tg_driver_code_name(int code);

/* The status for a code: TG_OK for success, TG_ERR_NO_MEMORY, TG_ERR_UNSUPPORTED if driver or
 * device lack something, TG_ERR_INTERNAL for all others. */
tg_status tg_driver_status(int code);

/* Whether the context is unusable after `code`: the driver then needs a new process. */
int tg_driver_is_sticky(int code);

/* Records "DOING: CALL returned NAME (CODE)" with the status of the code (tg_driver_status);
 * returns that status. */
tg_status tg_driver_fail(tg_diags *diags, const char *doing, const char *call, int code);

#endif
