#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "api/backend.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/devices.h"
#include "api/options.h"
#include "gpu_backend/emit/refusal.h"
#include "plan/grid.h"

struct tg_remote {
    const tg_plan *plan;
    tg_api_device *on;
    tg_gpu_runner *runner;
};

/* ---- options ---- */

/* How many CTAs share the grid; 0: as many as the device runs at once. */
static tg_status count_ctas(const tg_run_options *options, const tg_order *order, uint32_t *most,
                            tg_diags *diags)
{
    *most = order->kind == TG_ORDER_SEQUENTIAL ? 1 : (uint32_t)order->threads;
    if (order->kind == TG_ORDER_SEQUENTIAL || order->kind == TG_ORDER_PARALLEL) return TG_OK;
    return tg_fail(diags, TG_ERR_USAGE, NULL,
                   "backend %s knows the orders sequential and parallel[:CTAS], not %s",
                   options->backend, options->order);
}

static tg_status refuse(const tg_run_options *options, tg_ptx_refusal refusal, tg_diags *diags)
{
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "backend %s does not support %s",
                   options->backend, tg_ptx_refusal_text(refusal));
}

static tg_status check_options(const tg_run_options *options, tg_diags *diags)
{
    if (options->compat && strcmp(options->compat, "strict") != 0)
        return refuse(options, TG_PTX_REFUSES_COMPAT, diags);
    if (options->checks && strcmp(options->checks, "none") != 0)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "backend %s makes no checks: those of \"%s\" are the interpreter's",
                       options->backend, options->checks);
    if (options->target && strcmp(options->target, "any") != 0)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "backend %s knows no target \"%s\": it is the interpreter's",
                       options->backend, options->target);
    if (options->trap && strcmp(options->trap, "none") != 0)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "backend %s traps nothing: \"%s\" is the interpreter's", options->backend,
                       options->trap);
    if (options->max_steps)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "backend %s counts no turns of loops: max_steps is the interpreter's",
                       options->backend);
    return TG_OK;
}

/* ---- a kernel on a device ---- */

static tg_status prepare(tg_remote *remote, const tg_run_options *options, const tg_order *order,
                         tg_diags *diags)
{
    tg_gpu_settings settings = {.plan = remote->plan,
                                .progress = options->progress,
                                .print = options->print,
                                .context = options->context};
    TG_TRY(tg_api_profile(options->profile, &settings.ptx.is_fast, diags));
    TG_TRY(check_options(options, diags));
    TG_TRY(count_ctas(options, order, &settings.most_ctas, diags));
    TG_TRY(tg_api_device_open(options->backend, &remote->on, diags));
    settings.device = remote->on->device;
    pthread_mutex_lock(&remote->on->turn);
    const tg_status status = tg_gpu_runner_new(&settings, &remote->runner, diags);
    pthread_mutex_unlock(&remote->on->turn);
    return status;
}

tg_status tg_remote_new(const tg_plan *plan, const tg_run_options *options, const tg_order *order,
                        tg_remote **out, tg_diags *diags)
{
    tg_remote *remote = calloc(1, sizeof *remote);
    *out = NULL;
    if (!remote) return tg_no_memory(diags);
    remote->plan = plan;
    const tg_status status = prepare(remote, options, order, diags);
    if (status == TG_OK)
        *out = remote;
    else
        tg_remote_free(remote);
    return status;
}

void tg_remote_free(tg_remote *remote)
{
    if (!remote) return;
    if (remote->on) {
        pthread_mutex_lock(&remote->on->turn);
        tg_gpu_runner_free(remote->runner);
        pthread_mutex_unlock(&remote->on->turn);
    }
    tg_api_device_close(remote->on);
    free(remote);
}

const char *tg_remote_name(const tg_remote *remote) { return remote->on->device->kind->name; }

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

tg_status tg_remote_run(tg_remote *remote, void *const *data, const int64_t *dynamic_grid,
                        tg_findings *findings, tg_run_result *result, tg_diags *diags)
{
    tg_grid grid;
    TG_TRY(tg_grid_set(remote->plan->kernel, dynamic_grid, &tg_setting_default, &grid, diags));
    const tg_device *const device = remote->on->device;
    pthread_mutex_lock(&remote->on->turn);
    const double start = now();
    const uint64_t before = device->instructions;
    const tg_status status = tg_gpu_runner_run(remote->runner, data, dynamic_grid, findings, diags);
    *result = (tg_run_result){.programs = grid.chains * grid.steps,
                              .threads = 1,
                              .seconds = now() - start,
                              .instructions = (int64_t)(device->instructions - before)};
    pthread_mutex_unlock(&remote->on->turn);
    return status;
}
