/* Calls into the context of a GPU. */
#ifndef TG_GPU_BACKEND_DEVICE_GPU_H
#define TG_GPU_BACKEND_DEVICE_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "gpu_backend/device/driver.h"

/* A device's primary context, which all users of the device in this process share, and a stream of
 * our own. */
typedef struct tg_gpu {
    tg_driver *driver;
    tg_cu_device number;
    tg_gpu_info info;
    tg_cu_context context;
    tg_cu_stream stream;
    int broken; /* the code after which the context takes no more calls, or 0 */
} tg_gpu;

/* Records a code other than success, as tg_driver_fail does, and remembers one that breaks the
 * context. */
tg_status tg_gpu_check(tg_gpu *gpu, int code, const char *doing, const char *call, tg_diags *diags);

/* Copies and waits until all is where it should be. */
tg_status tg_gpu_write(tg_gpu *gpu, uint64_t to, const void *from, size_t bytes, tg_diags *diags);
tg_status tg_gpu_read(tg_gpu *gpu, void *to, uint64_t from, size_t bytes, tg_diags *diags);

/* Makes the context current in this thread, whichever that is, until tg_gpu_leave.  What was
 * current there before is so again afterwards: others in the process use the driver too.  Fails in
 * a broken context. */
tg_status tg_gpu_enter(tg_gpu *gpu, tg_diags *diags);
void tg_gpu_leave(tg_gpu *gpu);

/* tg_gpu_enter for what is given back: tried in a broken context too, where the driver may still
 * free what is on the host.  False where there is nothing to leave. */
bool tg_gpu_enter_to_free(tg_gpu *gpu);

/* Until all that was asked for is done; `doing` is for the diagnosis. */
tg_status tg_gpu_wait(tg_gpu *gpu, const char *doing, tg_diags *diags);

#endif
