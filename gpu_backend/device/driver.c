#define _GNU_SOURCE /* for RTLD_NODELETE */
#include "gpu_backend/device/driver.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

/* ---- codes ---- */

const char *tg_driver_code_name(int code)
{
    static const struct {
        int code;
        const char *name;
    } names[] = {
#define TG_CU_CODE(name, value) {value, "CUDA_" #name},
#include "gpu_backend/device/driver.def"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code) return names[i].name;
    return NULL;
}

tg_status tg_driver_status(int code)
{
    switch (code) {
    case TG_CUDA_SUCCESS: return TG_OK;
    case TG_CUDA_ERROR_OUT_OF_MEMORY: return TG_ERR_NO_MEMORY;
    case TG_CUDA_ERROR_STUB_LIBRARY:
    case TG_CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER:
    case TG_CUDA_ERROR_DEVICE_UNAVAILABLE:
    case TG_CUDA_ERROR_NO_DEVICE:
    case TG_CUDA_ERROR_DEVICE_NOT_LICENSED:
    case TG_CUDA_ERROR_NO_BINARY_FOR_GPU:
    case TG_CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case TG_CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case TG_CUDA_ERROR_JIT_COMPILATION_DISABLED:
    case TG_CUDA_ERROR_NOT_PERMITTED:
    case TG_CUDA_ERROR_NOT_SUPPORTED:
    case TG_CUDA_ERROR_SYSTEM_NOT_READY:
    case TG_CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case TG_CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE: return TG_ERR_UNSUPPORTED;
    default: return TG_ERR_INTERNAL;
    }
}

int tg_driver_is_sticky(int code)
{
    switch (code) {
    case TG_CUDA_ERROR_ECC_UNCORRECTABLE:
    case TG_CUDA_ERROR_ILLEGAL_ADDRESS:
    case TG_CUDA_ERROR_LAUNCH_TIMEOUT:
    case TG_CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case TG_CUDA_ERROR_ASSERT:
    case TG_CUDA_ERROR_HARDWARE_STACK_ERROR:
    case TG_CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case TG_CUDA_ERROR_MISALIGNED_ADDRESS:
    case TG_CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case TG_CUDA_ERROR_INVALID_PC:
    case TG_CUDA_ERROR_LAUNCH_FAILED:
    case TG_CUDA_ERROR_UNKNOWN: return 1;
    default: return 0;
    }
}

tg_status tg_driver_fail(tg_diags *diags, const char *doing, const char *call, int code)
{
    const char *const name = tg_driver_code_name(code);
    return tg_fail(diags, tg_driver_status(code), NULL, "%s: %s returned %s (%d)", doing, call,
                   name ? name : "a code unknown here", code);
}

/* ---- the library ---- */

/* Never libcuda.so: the toolkit's library of that name is a stub. */
static const char *library_name(void)
{
    const char *const asked = getenv("TILEGRIND_LIBCUDA");
    return asked && *asked ? asked : "libcuda.so.1";
}

/* Returns NULL if the library has no such symbol; that is an error if `is_required`. */
static void *find(const tg_driver *driver, const char *symbol, bool is_required, tg_diags *diags)
{
    void *const address = dlsym(driver->library, symbol);
    if (!address && is_required)
        tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                "%s is no NVIDIA driver that can be used here: it lacks %s", library_name(),
                symbol);
    return address;
}

/* POSIX requires that dlsym's void * can be cast to a function pointer. */
static tg_status find_all(tg_driver *driver, tg_diags *diags)
{
    enum { REQUIRED = true, OPTIONAL = false };
#define TG_CU(need, name, symbol, params)                                                          \
    driver->name = (tg_cu_result(*) params)find(driver, #symbol, need, diags);                     \
    if (need && !driver->name) return TG_ERR_UNSUPPORTED;
#include "gpu_backend/device/driver.def"
    return TG_OK;
}

static tg_status refuse(int code, const char *call, tg_diags *diags)
{
    if (code == TG_CUDA_ERROR_STUB_LIBRARY)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "%s is the CUDA toolkit's stub of the driver, not a driver", library_name());
    if (code == TG_CUDA_ERROR_NO_DEVICE)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "the NVIDIA driver finds no device");
    return tg_driver_fail(diags, "the NVIDIA driver does not start", call, code);
}

static tg_status start(tg_driver *driver, tg_diags *diags)
{
    int code = driver->init(0);
    if (code) return refuse(code, "cuInit", diags);
    code = driver->driver_version(&driver->version);
    if (code) return refuse(code, "cuDriverGetVersion", diags);
    if (driver->version < TG_OLDEST_DRIVER)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "the NVIDIA driver is of CUDA %d.%d; %d.%d or later is needed",
                       driver->version / 1000, driver->version % 1000 / 10, TG_OLDEST_DRIVER / 1000,
                       TG_OLDEST_DRIVER % 1000 / 10);
    code = driver->device_count(&driver->device_total);
    if (!code && driver->device_total < 1) code = TG_CUDA_ERROR_NO_DEVICE;
    return code ? refuse(code, "cuDeviceGetCount", diags) : TG_OK;
}

static tg_status open_library(tg_driver *driver, tg_diags *diags)
{
    driver->library = dlopen(library_name(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!driver->library)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "this machine has no NVIDIA driver: %s",
                       dlerror());
    TG_TRY(find_all(driver, diags));
    return start(driver, diags);
}

tg_status tg_driver_open(tg_driver **out, tg_diags *diags)
{
    tg_driver *driver = calloc(1, sizeof *driver);
    *out = NULL;
    if (!driver) return tg_no_memory(diags);
    const tg_status status = open_library(driver, diags);
    if (status == TG_OK)
        *out = driver;
    else
        tg_driver_close(driver);
    return status;
}

void tg_driver_close(tg_driver *driver)
{
    if (driver && driver->library) dlclose(driver->library);
    free(driver);
}

/* ---- devices ---- */

tg_status tg_driver_device(const tg_driver *driver, int number, tg_cu_device *out, tg_diags *diags)
{
    if (number < 0 || number >= driver->device_total)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "there is no GPU %d: the last one is %d", number,
                       driver->device_total - 1);
    const int code = driver->device_get(out, number);
    return code ? tg_driver_fail(diags, "asking for the GPU", "cuDeviceGet", code) : TG_OK;
}

tg_status tg_driver_describe(const tg_driver *driver, tg_cu_device device, tg_gpu_info *out,
                             tg_diags *diags)
{
    static const char doing[] = "asking what the GPU is";
    const struct {
        tg_cu_device_attribute what;
        int *value;
    } numbers[] = {
        {TG_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &out->major},
        {TG_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &out->minor},
        {TG_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &out->multiprocessors},
        {TG_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &out->threads_per_multiprocessor},
        {TG_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &out->most_shared_bytes},
    };
    *out = (tg_gpu_info){0};
    int code = driver->device_name(out->name, sizeof out->name, device);
    if (code) return tg_driver_fail(diags, doing, "cuDeviceGetName", code);
    out->name[sizeof out->name - 1] = 0;
    code = driver->device_memory(&out->memory_bytes, device);
    if (code) return tg_driver_fail(diags, doing, "cuDeviceTotalMem_v2", code);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        code = driver->device_number(numbers[i].value, numbers[i].what, device);
        if (code) return tg_driver_fail(diags, doing, "cuDeviceGetAttribute", code);
    }
    return TG_OK;
}
