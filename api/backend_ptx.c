/* PTX on a device (api/devices.h): the emulator, or a GPU.  Threads take turns at it, and so do
 * kernels that are on the same GPU. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <stdlib.h>
#include <time.h>

#include "api/backend.h"
#include "api/devices.h"
#include "gpu_backend/device/open.h"
#include "gpu_backend/run.h"
#include "plan/grid.h"

typedef struct ptx_kernel {
    const tg_plan *plan;
    tg_api_device *on;
    tg_gpu_runner *runner;
} ptx_kernel;

static bool names_gpu(const char *text) { return tg_device_gpu_number(text) >= 0; }

/* ---- kernels ---- */

static tg_status make_runner(ptx_kernel *kernel, const tg_run_job *job, tg_diags *diags)
{
    const tg_run_options *const options = job->options;
    const bool is_sequential = job->order.kind == TG_ORDER_SEQUENTIAL;
    tg_gpu_settings settings = {.plan = job->plan,
                                .ptx.is_fast = job->is_fast,
                                .ptx.tensor_core = job->setting.tensor_core,
                                .most_ctas = is_sequential ? 1 : (uint32_t)job->order.threads,
                                .progress = options->progress,
                                .print = options->print,
                                .context = options->context};
    TG_TRY(tg_api_device_open(options->backend, &kernel->on, diags));
    settings.device = kernel->on->device;
    pthread_mutex_lock(&kernel->on->turn);
    const tg_status status = tg_gpu_runner_new(&settings, &kernel->runner, diags);
    pthread_mutex_unlock(&kernel->on->turn);
    return status;
}

static void release(void *of)
{
    ptx_kernel *kernel = of;
    if (kernel->on) {
        pthread_mutex_lock(&kernel->on->turn);
        tg_gpu_runner_free(kernel->runner);
        pthread_mutex_unlock(&kernel->on->turn);
    }
    tg_api_device_close(kernel->on);
    free(kernel);
}

static tg_status prepare(const tg_run_job *job, void **out, tg_diags *diags)
{
    ptx_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel) return tg_no_memory(diags);
    kernel->plan = job->plan;
    const tg_status status = make_runner(kernel, job, diags);
    if (status == TG_OK)
        *out = kernel;
    else
        release(kernel);
    return status;
}

/* ---- runs ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tg_status run(void *of, const tg_backend_run *run, tg_run_result *result, tg_diags *diags)
{
    const ptx_kernel *kernel = of;
    tg_grid grid;
    TG_TRY(tg_grid_set(kernel->plan->kernel, run->dynamic_grid, &tg_setting_default, &grid, diags));
    const tg_device *const device = kernel->on->device;
    pthread_mutex_lock(&kernel->on->turn);
    const double start = now();
    const uint64_t before = device->instructions;
    const tg_status status =
        tg_gpu_runner_run(kernel->runner, run->data, run->dynamic_grid, run->findings, diags);
    *result = (tg_run_result){.programs = tg_grid_programs(&grid),
                              .threads = 1,
                              .seconds = now() - start,
                              .instructions = (int64_t)(device->instructions - before)};
    pthread_mutex_unlock(&kernel->on->turn);
    return status;
}

const tg_backend tg_backend_emulator = {.name = "emulator",
                                        .is_named = tg_device_is_emulator,
                                        .prepare = prepare,
                                        .release = release,
                                        .run = run};

const tg_backend tg_backend_gpu = {
    .name = "gpu", .is_named = names_gpu, .prepare = prepare, .release = release, .run = run};
