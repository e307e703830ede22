#include "gpu_backend/device/gpu.h"

tg_status tg_gpu_check(tg_gpu *gpu, int code, const char *doing, const char *call, tg_diags *diags)
{
    if (!code) return TG_OK;
    if (tg_driver_is_sticky(code)) gpu->broken = code;
    return tg_driver_fail(diags, doing, call, code);
}

tg_status tg_gpu_enter(tg_gpu *gpu, tg_diags *diags)
{
    if (gpu->broken)
        return tg_fail(diags, TG_ERR_INTERNAL, NULL,
                       "%s takes no more calls from this process since %s (%d); start a new one",
                       gpu->info.name, tg_driver_code_name(gpu->broken), gpu->broken);
    const int code = gpu->driver->context_push(gpu->context);
    return tg_gpu_check(gpu, code, "entering the GPU's context", "cuCtxPushCurrent_v2", diags);
}

bool tg_gpu_enter_to_free(tg_gpu *gpu)
{
    return gpu->driver->context_push(gpu->context) == TG_CUDA_SUCCESS;
}

void tg_gpu_leave(tg_gpu *gpu)
{
    tg_cu_context context;
    gpu->driver->context_pop(&context);
}

tg_status tg_gpu_wait(tg_gpu *gpu, const char *doing, tg_diags *diags)
{
    return tg_gpu_check(gpu, gpu->driver->stream_wait(gpu->stream), doing, "cuStreamSynchronize",
                        diags);
}

tg_status tg_gpu_write(tg_gpu *gpu, uint64_t to, const void *from, size_t bytes, tg_diags *diags)
{
    static const char doing[] = "copying to the GPU";
    const int code = gpu->driver->write(to, from, bytes, gpu->stream);
    TG_TRY(tg_gpu_check(gpu, code, doing, "cuMemcpyHtoDAsync_v2", diags));
    return tg_gpu_wait(gpu, doing, diags);
}

tg_status tg_gpu_read(tg_gpu *gpu, void *to, uint64_t from, size_t bytes, tg_diags *diags)
{
    static const char doing[] = "copying from the GPU";
    const int code = gpu->driver->read(to, from, bytes, gpu->stream);
    TG_TRY(tg_gpu_check(gpu, code, doing, "cuMemcpyDtoHAsync_v2", diags));
    return tg_gpu_wait(gpu, doing, diags);
}
