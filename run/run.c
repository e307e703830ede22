/* A run: executes the grid on a run context, and reports the result. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "run/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/executor_openmp.h"
#include "base/float_env.h"
#include "interp/state/actors.h"
#include "interp/exec/bind.h"
#include "run/context.h"
#include "run/buffers.h"
#include "schedule/schedule.h"

struct tg_runner {
    tg_run_settings settings;
    tg_launch bound;
    tg_run_contexts contexts;
};

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static tg_status walk(const tg_runner *runner, tg_run_context *b, const tg_executor *executor,
                      const tg_grid *grid, tg_run_result *result, tg_diags *diags)
{
    tg_walk w = {.launch = &b->launch,
                 .grid = grid,
                 .order = &runner->settings.order,
                 .machines = &b->machines,
                 .executor = executor,
                 .progress = runner->settings.progress,
                 .context = runner->settings.context};
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    tg_status status = tg_walk_run(&w);
    *result =
        (tg_run_result){.programs = w.done, .threads = w.threads, .seconds = seconds_since(&start)};
    if (status != TG_OK) return tg_no_memory(diags);
    if (w.is_stopped)
        return tg_fail(diags, TG_ERR_STOPPED, NULL, "stopped after %" PRId64 " programs%s", w.done,
                       w.where);
    return TG_OK;
}

static bool begin_checks(const tg_runner *runner, tg_run_context *b, const tg_grid *grid)
{
    const tg_run_begin run = {.launch = &b->launch,
                              .grid = grid,
                              .is_shared = runner->settings.order.kind == TG_ORDER_PARALLEL};
    const tg_attached *all = &b->launch.detectors;
    for (uint32_t d = 0; d < all->count; d++)
        if (all->kind[d]->begin && !all->kind[d]->begin(all->state[d], &run)) return false;
    return true;
}

/* All detectors report, even if one of them returns false because memory ran out. */
static bool report_checks(tg_run_context *b, tg_run_end *run)
{
    bool is_complete = true;
    const tg_attached *all = &b->launch.detectors;
    for (uint32_t d = 0; d < all->count; d++)
        if (all->kind[d]->report && !all->kind[d]->report(all->state[d], run)) is_complete = false;
    return is_complete && !run->findings->is_incomplete;
}

static tg_status run_on(const tg_runner *runner, tg_run_context *b, const tg_executor *executor,
                        void *const *data, const tg_grid *grid, tg_run_result *result,
                        tg_diags *diags)
{
    tg_run_end end = {.launch = &b->launch, .grid = grid, .findings = b->launch.findings};
    memcpy(b->launch.grid, grid->size, sizeof b->launch.grid);
    b->launch.threads = grid->threads;
    b->launch.actors = tg_actor_count(grid);
    b->launch.async_ops = 0;
    if (!tg_buffers_set(b, data) || !begin_checks(runner, b, grid)) return tg_no_memory(diags);
    const tg_status status = walk(runner, b, executor, grid, result, diags);
    end.is_whole = status == TG_OK;
    if (status != TG_OK && status != TG_ERR_STOPPED) return status;
    const bool is_complete = report_checks(b, &end);
    if (status == TG_ERR_STOPPED) return status;
    tg_buffers_send_back(b, data);
    result->covered = end.covered;
    result->covered_count = end.covered_count;
    result->costs = end.costs;
    result->cost_count = end.cost_count;
    if (!is_complete) return tg_no_memory(diags);
    return TG_OK;
}

/* Refuses a run on threads that the target does not have, or with more actors in flight at once
 * than supported. */
static tg_status check_chains(const tg_runner *runner, const tg_grid *grid, tg_diags *diags)
{
    const tg_plan *plan = runner->settings.plan;
    if (grid->threads > 1 && runner->settings.setting.target == TG_TARGET_TPU)
        return tg_fail(
            diags, TG_ERR_UNSUPPORTED, NULL,
            "kernel %s: an axis of the grid is one of threads, which a TPU does not have",
            plan->kernel->name);
    if (!plan->is_coupled || tg_actor_count(grid) <= TG_MOST_COUPLED) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "kernel %s: %" PRId64 " %s signal each other's semaphores; at most %d can",
                   plan->kernel->name, tg_actor_count(grid),
                   grid->threads > 1 ? "threads of chains" : "chains", TG_MOST_COUPLED);
}

static const tg_executor *executor_of(const tg_runner *runner, const tg_executor *given)
{
    if (!given) given = runner->settings.executor;
    return given ? given : &tg_executor_openmp;
}

tg_status tg_runner_run_on(tg_runner *runner, const tg_executor *executor, void *const *data,
                           const int64_t *dynamic_grid, tg_findings *findings,
                           tg_run_result *result, tg_diags *diags)
{
    tg_grid grid;
    *result = (tg_run_result){0};
    TG_TRY(tg_grid_set(runner->settings.plan->kernel, dynamic_grid, &runner->settings.setting,
                       &grid, diags));
    TG_TRY(tg_order_fits(&runner->settings.order, grid.chains, diags));
    TG_TRY(check_chains(runner, &grid, diags));
    tg_run_context *b = tg_run_context_take(&runner->contexts);
    if (!b) return tg_no_memory(diags);
    b->launch.findings = findings;
    tg_environment saved = tg_environment_enter();
    tg_status status = run_on(runner, b, executor_of(runner, executor), data, &grid, result, diags);
    tg_environment_leave(saved);
    tg_run_context_give_back(&runner->contexts, b);
    tg_findings_sort(findings);
    return status;
}

tg_status tg_runner_run(tg_runner *runner, void *const *data, const int64_t *dynamic_grid,
                        tg_findings *findings, tg_run_result *result, tg_diags *diags)
{
    return tg_runner_run_on(runner, NULL, data, dynamic_grid, findings, result, diags);
}

/* ---- runners ---- */

tg_status tg_runner_new(const tg_run_settings *settings, tg_runner **out, tg_diags *diags)
{
    tg_runner *runner = calloc(1, sizeof *runner);
    *out = NULL;
    if (!runner) return tg_no_memory(diags);
    runner->settings = *settings;
    runner->bound = (tg_launch){.plan = settings->plan,
                                .elementwise = settings->elementwise,
                                .setting = settings->setting,
                                .partly_written = settings->partly_written,
                                .undefined = settings->undefined,
                                .checks = settings->checks,
                                .traps = settings->traps,
                                .warps = settings->warps,
                                .observer = settings->observer,
                                .added = settings->detector,
                                .most_turns = settings->most_turns,
                                .axis_count = settings->plan->kernel->axis_count,
                                .print = settings->print,
                                .print_context = settings->context,
                                .trace = settings->trace};
    runner->contexts.bound = &runner->bound;
    tg_status status = tg_launch_bind(&runner->bound, diags);
    if (status == TG_OK)
        *out = runner;
    else
        tg_runner_free(runner);
    return status;
}

void tg_runner_free(tg_runner *runner)
{
    if (!runner) return;
    tg_run_contexts_free(&runner->contexts);
    tg_launch_unbind(&runner->bound);
    free(runner);
}
