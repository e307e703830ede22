/* The interpreter. */
#include <stdlib.h>
#include <string.h>

#include "api/backend.h"
#include "base/float_env.h"
#include "run/order_dependence.h"

typedef struct cpu_kernel {
    tg_run_settings settings; /* of `runner` */
    tg_runner *runner;
} cpu_kernel;

static bool is_named(const char *text) { return strcmp(text, tg_backend_cpu.name) == 0; }

/* ---- kernels ---- */

static tg_status set_lanes(const tg_run_job *job, const tg_elementwise **lanes, tg_diags *diags)
{
    const char *missing;
    *lanes = tg_elementwise_get(job->isa);
    if (!job->is_fast || (*lanes = tg_elementwise_fast(*lanes, &missing))) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "%s, so profile fast cannot run", missing);
}

static tg_status make_runner(cpu_kernel *kernel, const tg_run_job *job, tg_diags *diags)
{
    const tg_run_options *const options = job->options;
    kernel->settings = (tg_run_settings){.plan = job->plan,
                                         .order = job->order,
                                         .setting = job->setting,
                                         .checks = job->checks,
                                         .traps = job->traps,
                                         .most_turns = options->max_steps,
                                         .warps = options->warps,
                                         .partly_written = job->partly_written,
                                         .undefined = job->undefined,
                                         .progress = options->progress,
                                         .print = options->print,
                                         .context = options->context,
                                         .executor = options->executor};
    TG_TRY(set_lanes(job, &kernel->settings.elementwise, diags));
    return tg_runner_new(&kernel->settings, &kernel->runner, diags);
}

static void release(void *of)
{
    cpu_kernel *kernel = of;
    tg_runner_free(kernel->runner);
    free(kernel);
}

static tg_status prepare(const tg_run_job *job, void **out, tg_diags *diags)
{
    cpu_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel) return tg_no_memory(diags);
    const tg_status status = make_runner(kernel, job, diags);
    if (status == TG_OK)
        *out = kernel;
    else
        release(kernel);
    return status;
}

/* ---- runs ---- */

static tg_status run(void *of, const tg_backend_run *run, tg_run_result *result, tg_diags *diags)
{
    const cpu_kernel *kernel = of;
    return tg_runner_run_on(kernel->runner, run->executor, run->data, run->dynamic_grid,
                            run->findings, result, diags);
}

static tg_status search(void *of, const tg_backend_run *run, const tg_order *orders,
                        size_t order_count, tg_diags *diags)
{
    const cpu_kernel *kernel = of;
    const tg_order_search search = {.settings = &kernel->settings,
                                    .data = run->data,
                                    .dynamic_grid = run->dynamic_grid,
                                    .orders = orders,
                                    .order_count = order_count};
    const tg_environment saved = tg_environment_enter();
    const tg_status status = tg_order_search_run(&search, run->findings, diags);
    tg_environment_leave(saved);
    return status;
}

static tg_status observe(void *of, const tg_backend_run *run, const tg_observer *observer,
                         const tg_added_detector *detector, tg_diags *diags)
{
    const cpu_kernel *kernel = of;
    tg_run_settings settings = kernel->settings;
    tg_runner *runner;
    tg_run_result result;
    settings.observer = observer;
    settings.detector = detector;
    settings.checks = 0;
    settings.print = NULL;
    const tg_environment saved = tg_environment_enter();
    tg_status status = tg_runner_new(&settings, &runner, diags);
    if (status == TG_OK)
        status = tg_runner_run(runner, run->data, run->dynamic_grid, run->findings, &result, diags);
    tg_runner_free(runner);
    tg_environment_leave(saved);
    return status;
}

const tg_backend tg_backend_cpu = {
    .name = "cpu",
    .can = TG_BACKEND_CHECKS | TG_BACKEND_COMPAT | TG_BACKEND_TARGET | TG_BACKEND_TRAPS |
           TG_BACKEND_MAX_STEPS | TG_BACKEND_ORDERS,
    .is_named = is_named,
    .prepare = prepare,
    .release = release,
    .run = run,
    .search = search,
    .observe = observe,
};
