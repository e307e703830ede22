#include "gpu_backend/device/device_gpu.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu_backend/device/driver.h"
#include "gpu_backend/device/gpu.h"
#include "gpu_backend/device/gpu_memory.h"
#include "gpu_backend/device/gpu_module.h"
#include "gpu_backend/device/ptxas.h"
#include "gpu_backend/text/ptx.h"

typedef struct gpu_device {
    tg_device device;
    tg_gpu gpu;
    tg_gpu_memory memory;
    tg_gpu_modules modules;
    tg_ptxas ptxas;
    tg_cu_event start, end;
    double seconds;
} gpu_device;

static gpu_device *gpu_of(tg_device *device) { return (gpu_device *)(void *)device; }

/* ---- modules ---- */

static tg_status load(tg_device *device, const tg_ptx *ptx, void **module, tg_diags *diags)
{
    gpu_device *g = gpu_of(device);
    tg_gpu_module *loaded = NULL;
    *module = NULL;
    TG_TRY(tg_gpu_enter(&g->gpu, diags));
    tg_status status = tg_gpu_module_load(&g->gpu, &g->modules, ptx, &loaded, diags);
    if (status == TG_OK) {
        status = tg_gpu_module_share(&g->gpu, loaded, ptx->shared_bytes, diags);
        if (status != TG_OK) tg_gpu_module_unload(&g->gpu, &g->modules, loaded);
    }
    tg_gpu_leave(&g->gpu);
    if (status == TG_OK) *module = loaded;
    return status;
}

static void unload(tg_device *device, void *module)
{
    gpu_device *g = gpu_of(device);
    const bool is_inside = tg_gpu_enter_to_free(&g->gpu);
    tg_gpu_module_unload(&g->gpu, &g->modules, module);
    if (is_inside) tg_gpu_leave(&g->gpu);
}

static uint32_t resident(tg_device *device, void *module, const tg_ptx *ptx)
{
    gpu_device *g = gpu_of(device);
    const tg_gpu_module *m = module;
    const tg_driver *driver = g->gpu.driver;
    int ctas = 0; /* per multiprocessor */
    if (driver->occupancy && driver->context_push(g->gpu.context) == TG_CUDA_SUCCESS) {
        if (driver->occupancy(&ctas, m->entry, (int)ptx->threads, ptx->shared_bytes)) ctas = 0;
        tg_gpu_leave(&g->gpu);
    }
    if (ctas < 1) ctas = g->gpu.info.threads_per_multiprocessor / (int)ptx->threads;
    if (ctas < 1) ctas = 1;
    return (uint32_t)(ctas * g->gpu.info.multiprocessors);
}

/* ---- memory ---- */

static tg_status alloc(tg_device *device, size_t bytes, const char *name, uint64_t *address,
                       tg_diags *diags)
{
    gpu_device *g = gpu_of(device);
    *address = 0;
    TG_TRY(tg_gpu_enter(&g->gpu, diags));
    const tg_status status = tg_gpu_take(&g->gpu, &g->memory, bytes, name, address, diags);
    tg_gpu_leave(&g->gpu);
    return status;
}

static void release(tg_device *device, uint64_t address)
{
    gpu_device *g = gpu_of(device);
    const bool is_inside = tg_gpu_enter_to_free(&g->gpu);
    tg_gpu_give_back(&g->gpu, &g->memory, address);
    if (is_inside) tg_gpu_leave(&g->gpu);
}

static tg_status no_such_memory(tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_INTERNAL, NULL, "a copy outside the memory taken on the GPU");
}

static tg_status write_to(tg_device *device, uint64_t to, const void *from, size_t bytes,
                          tg_diags *diags)
{
    gpu_device *g = gpu_of(device);
    if (!tg_gpu_holds(&g->memory, to, bytes)) return no_such_memory(diags);
    if (bytes == 0) return TG_OK;
    TG_TRY(tg_gpu_enter(&g->gpu, diags));
    const tg_status status = tg_gpu_write(&g->gpu, to, from, bytes, diags);
    tg_gpu_leave(&g->gpu);
    return status;
}

static tg_status read_from(tg_device *device, void *to, uint64_t from, size_t bytes,
                           tg_diags *diags)
{
    gpu_device *g = gpu_of(device);
    if (!tg_gpu_holds(&g->memory, from, bytes)) return no_such_memory(diags);
    if (bytes == 0) return TG_OK;
    TG_TRY(tg_gpu_enter(&g->gpu, diags));
    const tg_status status = tg_gpu_read(&g->gpu, to, from, bytes, diags);
    tg_gpu_leave(&g->gpu);
    return status;
}

/* ---- launches ---- */

/* The events only measure time, but a failure in one of these calls is still a failure of the
 * device. */
static tg_status start(gpu_device *g, const tg_gpu_module *module, const tg_ptx *ptx,
                       const tg_device_launch *launch, const char *doing, tg_diags *diags)
{
    const tg_driver *driver = g->gpu.driver;
    void **params = calloc(launch->param_count + 1, sizeof *params);
    if (!params) return tg_no_memory(diags);
    for (size_t i = 0; i < launch->param_count; i++) /* the driver only reads the parameters */
        params[i] = (void *)(uintptr_t)&launch->params[i];
    const char *call = "cuEventRecord";
    int code = driver->event_record(g->start, g->gpu.stream);
    if (!code) {
        call = "cuLaunchKernel";
        code = driver->launch(module->entry, launch->ctas, 1, 1, ptx->threads, 1, 1,
                              (unsigned)ptx->shared_bytes, g->gpu.stream, params, NULL);
    }
    if (!code) {
        call = "cuEventRecord";
        code = driver->event_record(g->end, g->gpu.stream);
    }
    free(params);
    return tg_gpu_check(&g->gpu, code, doing, call, diags);
}

static tg_status take_time(gpu_device *g, const char *doing, tg_diags *diags)
{
    float milliseconds = 0;
    const int code = g->gpu.driver->event_between(&milliseconds, g->start, g->end);
    g->seconds = (double)milliseconds * 1e-3;
    return tg_gpu_check(&g->gpu, code, doing, "cuEventElapsedTime", diags);
}

static tg_status launch_within(gpu_device *g, const tg_gpu_module *module, const tg_ptx *ptx,
                               const tg_device_launch *launch, tg_diags *diags)
{
    char doing[128];
    snprintf(doing, sizeof doing, "running %s on the GPU", ptx->entry);
    TG_TRY(start(g, module, ptx, launch, doing, diags));
    TG_TRY(tg_gpu_wait(&g->gpu, doing, diags));
    TG_TRY(take_time(g, doing, diags));
    return tg_gpu_check_guards(&g->gpu, &g->memory, diags);
}

/* A running launch cannot be stopped, so `progress` is called, and can stop the run, only before
 * and after it. */
static int tell(const tg_device_launch *launch, int64_t done)
{
    return launch->progress ? launch->progress(launch->context, done, launch->ctas) : 0;
}

static tg_status run(tg_device *device, void *module, const tg_ptx *ptx,
                     const tg_device_launch *launch, tg_diags *diags)
{
    gpu_device *g = gpu_of(device);
    if (tell(launch, 0)) return tg_fail(diags, TG_ERR_STOPPED, NULL, "stopped before the launch");
    TG_TRY(tg_gpu_enter(&g->gpu, diags));
    const tg_status status = launch_within(g, module, ptx, launch, diags);
    tg_gpu_leave(&g->gpu);
    if (status == TG_OK && tell(launch, launch->ctas))
        return tg_fail(diags, TG_ERR_STOPPED, NULL, "stopped after the launch");
    return status;
}

double tg_device_gpu_seconds(const tg_device *device)
{
    return ((const gpu_device *)(const void *)device)->seconds;
}

/* ---- opening and closing ---- */

/* Time limit for ptxas in seconds, from the environment variable TILEGRIND_PTXAS_SECONDS if that is
 * a number. */
static double ptxas_seconds(void)
{
    enum { USUAL = 30 };
    const char *const asked = getenv("TILEGRIND_PTXAS_SECONDS");
    const long seconds = asked ? strtol(asked, NULL, 10) : 0;
    return seconds > 0 && seconds < 86400 ? (double)seconds : USUAL;
}

static void find_ptxas(gpu_device *g)
{
    tg_diags ignored = {0};
    if (tg_ptxas_find(&g->ptxas, &ignored) == TG_OK) g->modules.ptxas = &g->ptxas;
    g->modules.ptxas_seconds = ptxas_seconds();
    tg_diags_free(&ignored);
}

static tg_status make_event(tg_gpu *gpu, tg_cu_event *event, tg_diags *diags)
{
    const int code = gpu->driver->event_new(event, TG_CU_EVENT_DEFAULT);
    if (code) *event = NULL; /* the driver may leave anything there; the same applies below */
    return tg_gpu_check(gpu, code, "making an event on the GPU", "cuEventCreate", diags);
}

static tg_status make_stream(gpu_device *g, tg_diags *diags)
{
    const int code = g->gpu.driver->stream_new(&g->gpu.stream, TG_CU_STREAM_NON_BLOCKING);
    if (code) g->gpu.stream = NULL;
    TG_TRY(tg_gpu_check(&g->gpu, code, "making a stream on the GPU", "cuStreamCreate", diags));
    TG_TRY(make_event(&g->gpu, &g->start, diags));
    return make_event(&g->gpu, &g->end, diags);
}

static tg_status open_gpu(gpu_device *g, int number, tg_diags *diags)
{
    tg_gpu *gpu = &g->gpu;
    TG_TRY(tg_driver_open(&gpu->driver, diags));
    TG_TRY(tg_driver_device(gpu->driver, number, &gpu->number, diags));
    TG_TRY(tg_driver_describe(gpu->driver, gpu->number, &gpu->info, diags));
    if (gpu->info.major * 10 + gpu->info.minor < TG_OLDEST_CAPABILITY)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "%s has compute capability %d.%d; %d.%d or later is needed", gpu->info.name,
                       gpu->info.major, gpu->info.minor, TG_OLDEST_CAPABILITY / 10,
                       TG_OLDEST_CAPABILITY % 10);
    const int code = gpu->driver->context_retain(&gpu->context, gpu->number);
    if (code) {
        gpu->context = NULL;
        return tg_gpu_check(gpu, code, "opening the GPU", "cuDevicePrimaryCtxRetain", diags);
    }
    TG_TRY(tg_gpu_enter(gpu, diags));
    const tg_status status = make_stream(g, diags);
    tg_gpu_leave(gpu);
    return status;
}

static void free_gpu(tg_device *device)
{
    gpu_device *g = gpu_of(device);
    tg_gpu *gpu = &g->gpu;
    if (gpu->context) {
        const bool is_inside = tg_gpu_enter_to_free(gpu);
        tg_gpu_module_unload_all(gpu, &g->modules);
        tg_gpu_give_back_all(gpu, &g->memory);
        if (g->start) gpu->driver->event_free(g->start);
        if (g->end) gpu->driver->event_free(g->end);
        if (gpu->stream) gpu->driver->stream_free(gpu->stream);
        if (is_inside) tg_gpu_leave(gpu);
        gpu->driver->context_release(gpu->number);
    }
    tg_driver_close(gpu->driver);
    free(g);
}

tg_status tg_device_gpu(int number, tg_device **out, tg_diags *diags)
{
    static const tg_device_kind kind = {"gpu",   load,     unload,    resident, alloc,
                                        release, write_to, read_from, run,      free_gpu};
    gpu_device *g = calloc(1, sizeof *g);
    *out = NULL;
    if (!g) return tg_no_memory(diags);
    g->device.kind = &kind;
    const tg_status status = open_gpu(g, number, diags);
    if (status != TG_OK) {
        free_gpu(&g->device);
        return status;
    }
    find_ptxas(g);
    *out = &g->device;
    return TG_OK;
}
