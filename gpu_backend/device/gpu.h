/* Calls in the context of a GPU. */
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
    int broken; /* 0, or the code after which the context accepts no more calls */
} tg_gpu;

/* Records a code other than success, as tg_driver_fail does.  Remembers a code that breaks the
 * context. */
tg_status tg_gpu_check(tg_gpu *gpu, int code, const char *doing, const char *call, tg_diags *diags);

/* Copies, and waits until the copy is complete. */
tg_status tg_gpu_write(tg_gpu *gpu, uint64_t to, const void *from, size_t bytes, tg_diags *diags);
tg_status tg_gpu_read(tg_gpu *gpu, void *to, uint64_t from, size_t bytes, tg_diags *diags);

/* Makes the context current in the calling thread until tg_gpu_leave.  That restores the context
 * that was current before, since others in the process may use the driver too.  Fails if the
 * context is broken. */
tg_status tg_gpu_enter(tg_gpu *gpu, tg_diags *diags);
void tg_gpu_leave(tg_gpu *gpu);

/* tg_gpu_enter for releasing resources.  It also tries in a broken context, where the driver may
 * still free host resources.  Returns false if there is nothing to leave. */
bool tg_gpu_enter_to_free(tg_gpu *gpu);

/* Waits until all work in the stream is complete; `doing` is for the diagnosis. */
tg_status tg_gpu_wait(tg_gpu *gpu, const char *doing, tg_diags *diags);

#endif
