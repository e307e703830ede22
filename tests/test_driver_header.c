/* What gpu_backend/device/driver.def says, held against cuda.h where the build finds one: this file then compiles only
 * where each prototype, constant and code is the same. */
#include <criterion/criterion.h>

#include "gpu_backend/device/driver.h"

#ifdef TG_HAVE_CUDA_H
#include <cuda.h>
#endif

/* Older headers lack some of the codes. */
#if defined TG_HAVE_CUDA_H && CUDA_VERSION >= 12000
#define SAME_SIZE(ours, theirs)                                                                    \
    _Static_assert(sizeof(ours) == sizeof(theirs) && _Alignof(ours) == _Alignof(theirs),           \
                   #ours " is not as " #theirs)
SAME_SIZE(tg_cu_result, CUresult);
SAME_SIZE(tg_cu_device, CUdevice);
SAME_SIZE(tg_cu_device_attribute, CUdevice_attribute);
SAME_SIZE(tg_cu_function_attribute, CUfunction_attribute);
SAME_SIZE(tg_cu_jit_option, CUjit_option);
SAME_SIZE(tg_cu_address, CUdeviceptr);
SAME_SIZE(tg_cu_context, CUcontext);
SAME_SIZE(tg_cu_module, CUmodule);
SAME_SIZE(tg_cu_function, CUfunction);
SAME_SIZE(tg_cu_stream, CUstream);
SAME_SIZE(tg_cu_event, CUevent);

/* From here on our names of types stand for theirs, so that prototypes can be compared. */
#define tg_cu_device CUdevice
#define tg_cu_device_attribute CUdevice_attribute
#define tg_cu_function_attribute CUfunction_attribute
#define tg_cu_jit_option CUjit_option
#define tg_cu_address CUdeviceptr
#define tg_cu_context CUcontext
#define tg_cu_module CUmodule
#define tg_cu_function CUfunction
#define tg_cu_stream CUstream
#define tg_cu_event CUevent

#define TG_CU(need, name, symbol, params)                                                          \
    _Static_assert(__builtin_types_compatible_p(__typeof__(symbol), CUresult params),              \
                   #symbol " takes something else");
#include "gpu_backend/device/driver.def"
#define TG_CU_CONSTANT(name, value) _Static_assert((int)name == value, #name);
#include "gpu_backend/device/driver.def"
#define TG_CU_CODE(name, value) _Static_assert((int)CUDA_##name == value, "CUDA_" #name);
#include "gpu_backend/device/driver.def"

Test(driver_header, agrees) { cr_assert_geq(CUDA_VERSION, TG_OLDEST_DRIVER); }
#else
Test(driver_header, agrees)
{
    cr_skip_test("no cuda.h of CUDA 12 or later was found when this was built");
}
#endif
