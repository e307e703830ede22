/* A run: memory for the parameters, the walk over the grid, and what is said of it. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "run/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/executor_openmp.h"
#include "base/float_env.h"
#include "interp/bind.h"
#include "interp/fill.h"
#include "schedule/schedule.h"
#include "interp/windows.h"
#include "ir/tensor.h"

enum { KEPT = 16 }; /* benches that wait for the next run */

/* Memory of a parameter that takes the place of the caller's. */
typedef struct own_memory {
    void *data;     /* NULL until it is needed for the first time */
    bool goes_back; /* in this run: an output whose memory is the caller's copy */
} own_memory;

/* Where a run takes place.  Several runs at once need one each. */
typedef struct bench {
    tg_launch launch;
    tg_machines machines;
    own_memory *own; /* per param */
} bench;

/* Benches that are not in use lie in `kept`, each of which one atomic exchange takes or gives back:
 * no lock is there to be held by a thread that a fork leaves behind. */
struct tg_runner {
    tg_run_settings settings;
    tg_launch bound; /* what all benches share; has no memory of parameters */
    bench *kept[KEPT];
};

/* ---- benches ---- */

static void free_bench(bench *b)
{
    if (!b) return;
    uint32_t params = b->launch.plan->kernel->param_count;
    for (uint32_t p = 0; b->own && p < params; p++) free(b->own[p].data);
    free(b->own);
    free(b->launch.buffers);
    tg_machines_free(&b->machines);
    const tg_attached *all = &b->launch.detectors;
    for (uint32_t d = 0; d < all->count; d++)
        if (all->kind[d]->free) all->kind[d]->free(all->state[d]);
    pthread_mutex_destroy(&b->launch.atomics);
    free(b);
}

/* The detector looks at the launch's runs if it is asked to and finds anything to look for.  False
 * without memory. */
static bool attach(tg_launch *launch, const tg_detector *kind)
{
    void *state = NULL;
    if (kind->checks && !(kind->checks & launch->checks)) return true;
    if (kind->wants && !kind->wants(launch)) return true;
    if (kind->make && !kind->make(launch, &state)) return false;
    if (kind->make && !state) return true;
    tg_detector_add(&launch->detectors, kind, state);
    launch->watched |= kind->touches;
    return true;
}

static bool attach_detectors(tg_launch *launch)
{
    for (int d = 0; d < TG_DETECTOR_COUNT; d++)
        if (!attach(launch, tg_detectors[d])) return false;
    return true;
}

/* Whether checks look at what programs do to the parameter's memory; other observers may want to
 * hear of all. */
static bool is_of_interest(const tg_plan *plan, uint32_t p)
{
    const tg_role role = plan->kernel->params[p].role;
    return role == TG_ROLE_OUTPUT || (role != TG_ROLE_SCRATCH && plan->is_written[p]);
}

static bool fill_bench(bench *b, const tg_run_settings *settings)
{
    const tg_kernel *k = b->launch.plan->kernel;
    b->own = calloc(k->param_count + 1, sizeof *b->own);
    b->launch.buffers = calloc(k->param_count + 1, sizeof *b->launch.buffers);
    if (!b->own || !b->launch.buffers) return false;
    for (uint32_t p = 0; p < k->param_count; p++) {
        const tg_type *array = &k->params[p].array;
        b->launch.buffers[p].count = tg_type_count(array);
        tg_dense_strides(array->rank, array->shape, b->launch.buffers[p].stride);
        b->launch.buffers[p].is_told = settings->observer || is_of_interest(b->launch.plan, p);
    }
    b->launch.has_windows = tg_setting_has_windows(&settings->setting) && tg_windows_are_needed(k);
    if (b->launch.plan->while_count) /* what loops look at, see spin.h */
        b->launch.watched |= TG_TOUCH_READ | TG_TOUCH_WRITE | TG_TOUCH_ATOMIC | TG_TOUCH_INTENT |
                             TG_TOUCH_UPDATED | TG_TOUCH_KEPT;
    if (settings->observer) b->launch.watched |= settings->observer->wants;
    return attach_detectors(&b->launch);
}

static bench *new_bench(const tg_runner *runner)
{
    bench *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->launch = runner->bound;
    if (pthread_mutex_init(&b->launch.atomics, NULL) != 0) {
        free(b);
        return NULL;
    }
    if (fill_bench(b, &runner->settings)) return b;
    free_bench(b);
    return NULL;
}

static bench *take_bench(tg_runner *runner)
{
    for (int i = 0; i < KEPT; i++) {
        if (!__atomic_load_n(&runner->kept[i], __ATOMIC_RELAXED)) continue;
        bench *b = __atomic_exchange_n(&runner->kept[i], NULL, __ATOMIC_ACQUIRE);
        if (b) return b;
    }
    return new_bench(runner);
}

static void give_back(tg_runner *runner, bench *b)
{
    for (int i = 0; i < KEPT; i++) {
        bench *none = NULL;
        if (__atomic_compare_exchange_n(&runner->kept[i], &none, b, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return;
    }
    free_bench(b);
}

/* ---- memory of the parameters ---- */

/* The parameter's own memory, filled from `from` unless that is NULL; NULL without memory. */
static void *own_of(bench *b, uint32_t p, const void *from)
{
    size_t bytes = tg_tensor_bytes(&b->launch.plan->kernel->params[p].array);
    own_memory *own = &b->own[p];
    if (!own->data) own->data = malloc(bytes ? bytes : 1);
    if (own->data && from && bytes) memcpy(own->data, from, bytes);
    return own->data;
}

static bool is_aligned(const void *data, tg_dtype dtype)
{
    return (uintptr_t)data % tg_dtypes[dtype].bytes == 0;
}

/* Inputs that are written, and those that are not aligned to their elements, are worked on as
 * copies. */
static bool set_input(bench *b, uint32_t p, void *data)
{
    bool is_written = b->launch.plan->is_written[p];
    bool in_place = !is_written && is_aligned(data, b->launch.plan->kernel->params[p].array.dtype);
    b->launch.buffers[p].data = in_place ? data : own_of(b, p, data);
    return in_place || b->launch.buffers[p].data;
}

/* An output that is an alias starts as that input, which then shares its memory. */
static bool set_output(bench *b, uint32_t p, void *const *data)
{
    const tg_plan *plan = b->launch.plan;
    const tg_param *param = &plan->kernel->params[p];
    tg_buffer *buffer = &b->launch.buffers[p];
    b->own[p].goes_back = !is_aligned(data[p], param->array.dtype);
    buffer->data = b->own[p].goes_back ? own_of(b, p, NULL) : data[p];
    if (b->own[p].goes_back && !buffer->data) return false;
    if (param->alias >= 0) {
        size_t bytes = tg_tensor_bytes(&param->array);
        if (bytes && (void *)buffer->data != data[param->alias])
            memmove(buffer->data, data[param->alias], bytes);
        b->launch.buffers[param->alias].data = buffer->data;
    } else if (plan->is_read[p]) {
        tg_launch_fill_memory(&b->launch, buffer->data, param->array.dtype, (size_t)buffer->count);
    }
    return true;
}

static bool is_aliased(const tg_kernel *k, uint32_t input)
{
    for (uint32_t p = 0; p < k->param_count; p++)
        if (k->params[p].role == TG_ROLE_OUTPUT && k->params[p].alias == (int)input) return true;
    return false;
}

static bool set_buffers(bench *b, void *const *data)
{
    const tg_kernel *k = b->launch.plan->kernel;
    for (uint32_t p = 0; p < k->param_count; p++) {
        tg_role role = k->params[p].role;
        if (role == TG_ROLE_OUTPUT && !set_output(b, p, data)) return false;
        if ((role == TG_ROLE_INPUT || role == TG_ROLE_PREFETCH) && !is_aliased(k, p) &&
            !set_input(b, p, data[p]))
            return false;
    }
    return true;
}

/* Outputs that had to be worked on elsewhere go to the caller's memory. */
static void send_back(const bench *b, void *const *data)
{
    const tg_kernel *k = b->launch.plan->kernel;
    for (uint32_t p = 0; p < k->param_count; p++) {
        size_t bytes = tg_tensor_bytes(&k->params[p].array);
        if (k->params[p].role == TG_ROLE_OUTPUT && b->own[p].goes_back && bytes)
            memcpy(data[p], b->own[p].data, bytes);
    }
}

/* ---- the run ---- */

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static tg_status walk(const tg_runner *runner, bench *b, const tg_executor *executor,
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
    if (status != TG_OK) return tg_fail(diags, status, NULL, "memory is exhausted");
    if (w.is_stopped)
        return tg_fail(diags, TG_ERR_STOPPED, NULL, "stopped after %" PRId64 " programs%s", w.done,
                       w.where);
    return TG_OK;
}

static bool begin_checks(const tg_runner *runner, bench *b, const tg_grid *grid)
{
    const tg_run_begin run = {.launch = &b->launch,
                              .grid = grid,
                              .is_shared = runner->settings.order.kind == TG_ORDER_PARALLEL};
    const tg_attached *all = &b->launch.detectors;
    for (uint32_t d = 0; d < all->count; d++)
        if (all->kind[d]->begin && !all->kind[d]->begin(all->state[d], &run)) return false;
    return true;
}

/* All detectors report, whether or not one of them lacks memory, which is told by false. */
static bool report_checks(bench *b, tg_run_end *run)
{
    bool is_complete = true;
    const tg_attached *all = &b->launch.detectors;
    for (uint32_t d = 0; d < all->count; d++)
        if (all->kind[d]->report && !all->kind[d]->report(all->state[d], run)) is_complete = false;
    return is_complete && !run->findings->is_incomplete;
}

static tg_status run_on(const tg_runner *runner, bench *b, const tg_executor *executor,
                        void *const *data, const tg_grid *grid, tg_run_result *result,
                        tg_diags *diags)
{
    tg_run_end end = {.launch = &b->launch, .grid = grid, .findings = b->launch.findings};
    memcpy(b->launch.grid, grid->size, sizeof b->launch.grid);
    if (!set_buffers(b, data) || !begin_checks(runner, b, grid))
        return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "memory is exhausted");
    const tg_status status = walk(runner, b, executor, grid, result, diags);
    end.is_whole = status == TG_OK;
    if (status != TG_OK && status != TG_ERR_STOPPED) return status;
    const bool is_complete = report_checks(b, &end);
    if (status == TG_ERR_STOPPED) return status;
    send_back(b, data);
    result->covered = end.covered;
    result->covered_count = end.covered_count;
    if (!is_complete) return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "memory is exhausted");
    return TG_OK;
}

static tg_status check_chains(const tg_plan *plan, const tg_grid *grid, tg_diags *diags)
{
    if (!plan->is_coupled || grid->chains <= TG_MOST_COUPLED) return TG_OK;
    return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                   "kernel %s: %" PRId64 " chains signal each other's semaphores; at most %d can",
                   plan->kernel->name, grid->chains, TG_MOST_COUPLED);
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
    TG_TRY(check_chains(runner->settings.plan, &grid, diags));
    bench *b = take_bench(runner);
    if (!b) return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "memory is exhausted");
    b->launch.findings = findings;
    tg_environment saved = tg_environment_enter();
    tg_status status = run_on(runner, b, executor_of(runner, executor), data, &grid, result, diags);
    tg_environment_leave(saved);
    give_back(runner, b);
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
    if (!runner) return tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "memory is exhausted");
    runner->settings = *settings;
    runner->bound = (tg_launch){.plan = settings->plan,
                                .lanes = settings->lanes,
                                .setting = settings->setting,
                                .partly_written = settings->partly_written,
                                .checks = settings->checks,
                                .traps = settings->traps,
                                .observer = settings->observer,
                                .most_turns = settings->most_turns,
                                .axis_count = settings->plan->kernel->axis_count,
                                .print = settings->print,
                                .print_context = settings->context,
                                .trace = settings->trace};
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
    for (int i = 0; i < KEPT; i++) free_bench(runner->kept[i]);
    tg_launch_unbind(&runner->bound);
    free(runner);
}
