/* A run: memory for the parameters, the walk over the grid in the chosen order, and the look at what was
 * left unwritten. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "interp/run.h"

#include <fenv.h>
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interp/machine.h"
#include "interp/written.h"

enum { LIVE_PROGRAMS = 16 }; /* machines that an interleaved order keeps in flight */

/* ---- the grid ---- */

typedef struct grid {
    int rank;
    int64_t size[TG_MAX_AXES];
    bool is_parallel[TG_MAX_AXES];
    int64_t chains, steps; /* programs = chains * steps; no chains where there are no programs */
} grid;

static tg_status set_grid(const tg_run_request *request, grid *g, tg_diags *diags)
{
    const tg_kernel *k = request->plan->kernel;
    int dynamic = 0;
    *g = (grid){.rank = k->axis_count, .chains = 1, .steps = 1};
    for (int a = 0; a < g->rank; a++) {
        g->size[a] = k->axes[a].size >= 0 ? k->axes[a].size : request->dynamic_grid[dynamic++];
        g->is_parallel[a] = k->axes[a].semantics == TG_AXIS_PARALLEL;
        if (g->size[a] < 0 || g->size[a] > INT32_MAX)
            return tg_fail(diags, TG_ERR_USAGE, NULL,
                           "kernel %s: axis %d of the grid has size %" PRId64
                           "; legal is 0 to 2147483647",
                           k->name, a, g->size[a]);
        int64_t *count = g->is_parallel[a] ? &g->chains : &g->steps, product;
        if (__builtin_mul_overflow(*count, g->size[a], count) ||
            __builtin_mul_overflow(g->chains, g->steps, &product))
            return tg_fail(diags, TG_ERR_USAGE, NULL,
                           "kernel %s: the grid has more than 2^63 programs", k->name);
    }
    if (g->steps == 0) g->chains = 0;
    return TG_OK;
}

/* Coordinates of one program; returns its place in the grid. */
static int64_t locate(const grid *g, int64_t chain, int64_t step, int64_t *program)
{
    int64_t order = 0;
    for (int a = g->rank - 1; a >= 0; a--) {
        int64_t *left = g->is_parallel[a] ? &chain : &step;
        program[a] = *left % g->size[a];
        *left /= g->size[a];
    }
    for (int a = 0; a < g->rank; a++) order = order * g->size[a] + program[a];
    return order;
}

/* ---- walking ---- */

typedef struct walk {
    const tg_run_request *request;
    tg_launch *launch;
    const grid *grid;
    int64_t done;   /* programs, by all threads */
    bool is_shared; /* by several threads */
    bool is_stopped;
    tg_status status;
    struct timespec shown;
} walk;

static bool is_time(struct timespec *shown)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double passed =
        (double)(now.tv_sec - shown->tv_sec) + 1e-9 * (double)(now.tv_nsec - shown->tv_nsec);
    if (passed < 0.1) return false;
    *shown = now;
    return true;
}

/* An atomic addition waits for all that the program stored, so a thread alone does without. */
static int64_t count_program(walk *w)
{
    return w->is_shared ? __atomic_add_fetch(&w->done, 1, __ATOMIC_RELAXED) : ++w->done;
}

/* After each program; only the thread that called may report. */
static void show_progress(walk *w, bool is_caller)
{
    int64_t done = count_program(w);
    if (!is_caller || !w->request->progress || !is_time(&w->shown)) return;
    if (w->request->progress(w->request->context, done, w->grid->chains * w->grid->steps))
        __atomic_store_n(&w->is_stopped, true, __ATOMIC_RELAXED);
}

static void start_program(walk *w, tg_machine *m, int64_t chain, int64_t step)
{
    int64_t program[TG_MAX_AXES] = {0};
    int64_t order = locate(w->grid, chain, step, program);
    if (step == 0) tg_machine_reset_scratch(m);
    tg_machine_start(m, program, order);
}

static void run_chain(walk *w, tg_machine *m, int64_t chain, bool is_caller)
{
    for (int64_t step = 0; step < w->grid->steps; step++) {
        if (__atomic_load_n(&w->is_stopped, __ATOMIC_RELAXED)) return;
        start_program(w, m, chain, step);
        tg_machine_run(m);
        show_progress(w, is_caller);
    }
}

static void run_in_order(walk *w)
{
    tg_machine *m = tg_machine_new(w->launch);
    if (!m) w->status = TG_ERR_NO_MEMORY;
    for (int64_t turn = 0; m && turn < w->grid->chains; turn++)
        run_chain(w, m, tg_order_pick(&w->request->order, turn, w->grid->chains), true);
    tg_machine_free(m);
}

/* The IEEE environment that all numbers here assume; what the caller had is put back. */
static void enter_environment(fenv_t *saved)
{
    fegetenv(saved);
    fesetenv(FE_DFL_ENV);
}

/* Chains that a thread takes at a time. */
static int64_t piece_of(int64_t chains, int threads)
{
    int64_t piece = chains / (threads * (int64_t)16);
    return piece < 1 ? 1 : piece > 1024 ? 1024 : piece;
}

static void run_parallel(walk *w, int threads)
{
    int64_t chains = w->grid->chains;
    w->is_shared = threads > 1;
#pragma omp parallel num_threads(threads)
    {
        fenv_t saved;
        enter_environment(&saved);
        bool is_caller = omp_get_thread_num() == 0;
        tg_machine *m = tg_machine_new(w->launch);
        if (!m) __atomic_store_n(&w->status, TG_ERR_NO_MEMORY, __ATOMIC_RELAXED);
#pragma omp for schedule(dynamic, piece_of(chains, threads))
        for (int64_t chain = 0; chain < chains; chain++)
            if (m) run_chain(w, m, chain, is_caller);
        tg_machine_free(m);
        fesetenv(&saved);
    }
}

/* ---- interleaving ---- */

typedef struct live {
    tg_machine *machine;
    int64_t chain, step;
    bool is_busy;
} live;

/* The next program of the chain, or the first of the next chain; false when none is left. */
static bool next_program(walk *w, live *l, int64_t *turn)
{
    if (l->is_busy && l->step + 1 < w->grid->steps) {
        l->step++;
    } else {
        l->is_busy = *turn < w->grid->chains;
        if (!l->is_busy) return false;
        l->chain = tg_order_pick(&w->request->order, (*turn)++, w->grid->chains);
        l->step = 0;
    }
    start_program(w, l->machine, l->chain, l->step);
    return true;
}

/* One machine, chosen at random, goes on to its next visible event; a finished one takes a new program. */
static void run_interleaved(walk *w)
{
    live machines[LIVE_PROGRAMS] = {{0}};
    int count = 0;
    int64_t turn = 0;
    if (w->grid->steps == 0) return;
    for (; count < LIVE_PROGRAMS && turn < w->grid->chains; count++) {
        machines[count].machine = tg_machine_new(w->launch);
        if (!machines[count].machine) {
            w->status = TG_ERR_NO_MEMORY;
            break;
        }
        machines[count].machine->stops = true;
        next_program(w, &machines[count], &turn);
    }
    int made = count;
    for (uint64_t n = 0; count > 0 && w->status == TG_OK && !w->is_stopped; n++) {
        live *l = &machines[tg_random(~w->request->order.seed, n) % (uint64_t)count];
        if (tg_machine_run(l->machine) != TG_STEP_DONE) continue;
        show_progress(w, true);
        if (next_program(w, l, &turn)) continue;
        live last = machines[--count];
        machines[count] = *l;
        *l = last;
    }
    for (int i = 0; i < made; i++) tg_machine_free(machines[i].machine);
}

/* ---- memory of the parameters ---- */

static void *copy_of(const void *data, size_t bytes)
{
    void *copy = malloc(bytes ? bytes : 1);
    if (copy && bytes) memcpy(copy, data, bytes);
    return copy;
}

/* Inputs that are written get a private copy; an aliased pair shares the output's memory. */
static tg_status set_buffers(const tg_run_request *request, tg_launch *launch, void **owned)
{
    const tg_plan *plan = request->plan;
    const tg_kernel *k = plan->kernel;
    for (uint32_t p = 0; p < k->param_count; p++) {
        const tg_param *param = &k->params[p];
        tg_buffer *buffer = &launch->buffers[p];
        buffer->data = request->data[p];
        buffer->count = tg_type_count(&param->array);
        tg_dense_strides(param->array.rank, param->array.shape, buffer->stride);
        if ((param->role == TG_ROLE_INPUT || param->role == TG_ROLE_PREFETCH) &&
            plan->is_written[p]) {
            owned[p] = copy_of(request->data[p], tg_tensor_bytes(&param->array));
            if (!owned[p]) return TG_ERR_NO_MEMORY;
            buffer->data = owned[p];
        }
        if (param->role != TG_ROLE_OUTPUT) continue;
        if (param->alias >= 0) {
            memmove(buffer->data, request->data[param->alias], tg_tensor_bytes(&param->array));
            launch->buffers[param->alias].data = buffer->data;
            continue;
        }
        if (plan->is_read[p])
            tg_launch_fill_memory(launch, buffer->data, param->array.dtype, (size_t)buffer->count);
    }
    return TG_OK;
}

static void free_buffers(const tg_kernel *k, tg_launch *launch, void **owned)
{
    for (uint32_t p = 0; owned && p < k->param_count; p++) free(owned[p]);
    free(owned);
    free(launch->buffers);
}

/* ---- what was left unwritten ---- */

static char *index_text(const tg_type *type, int64_t at, char *out, size_t size)
{
    int64_t index[TG_MAX_RANK] = {0};
    size_t used = 1;
    for (int d = type->rank - 1; d >= 0; d--) {
        index[d] = at % type->shape[d];
        at /= type->shape[d];
    }
    snprintf(out, size, "[");
    for (int d = 0; d < type->rank && used < size; d++)
        used += (size_t)snprintf(out + used, size - used, "%s%" PRId64, d ? "," : "", index[d]);
    if (used < size) snprintf(out + used, size - used, "]");
    return out;
}

static void report_unwritten(const tg_kernel *k, const tg_param *param, int64_t missing,
                             int64_t first, tg_findings *findings)
{
    char type[TG_TYPE_TEXT], at[128];
    tg_found found = {.kind = TG_FINDING_OUTPUT_UNWRITTEN,
                      .param = param,
                      .op = TG_OP_COUNT,
                      .loc = k->loc,
                      .order = INT64_MAX,
                      .count = 1};
    snprintf(found.message, sizeof found.message,
             "no program wrote %" PRId64 " of the %" PRId64
             " elements of output %s, %s; the first is %s%s",
             missing, tg_type_count(&param->array), param->name,
             tg_type_print(&param->array, type, sizeof type), param->name,
             index_text(&param->array, first, at, sizeof at));
    tg_findings_add(findings, &found);
}

static void finish_outputs(const tg_plan *plan, const tg_launch *launch, const tg_written *written)
{
    for (uint32_t p = 0; p < plan->kernel->param_count; p++) {
        const tg_param *param = &plan->kernel->params[p];
        const tg_buffer *buffer = &launch->buffers[p];
        int64_t first = 0, missing = 0;
        size_t bytes = tg_dtypes[param->array.dtype].bytes;
        missing = tg_written_missing(written, p, buffer->count, &first);
        if (!missing) continue;
        report_unwritten(plan->kernel, param, missing, first, launch->findings);
        for (int64_t i = first; i < buffer->count; i++)
            if (!tg_written_is(written, p, i))
                tg_launch_fill_memory(launch, buffer->data + (size_t)i * bytes, param->array.dtype,
                                      1);
    }
}

/* ---- the run ---- */

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static tg_status run_all(const tg_run_request *request, tg_launch *launch, const grid *g,
                         tg_run_result *result, tg_diags *diags)
{
    walk w = {.request = request, .launch = launch, .grid = g};
    struct timespec start;
    fenv_t saved;
    clock_gettime(CLOCK_MONOTONIC, &start);
    w.shown = start;
    enter_environment(&saved);
    result->threads = 1;
    if (request->order.kind == TG_ORDER_PARALLEL) {
        result->threads = request->order.threads ? request->order.threads : omp_get_max_threads();
        run_parallel(&w, result->threads);
    } else if (request->order.kind == TG_ORDER_INTERLEAVED) {
        run_interleaved(&w);
    } else {
        run_in_order(&w);
    }
    fesetenv(&saved);
    result->programs = w.done;
    result->seconds = seconds_since(&start);
    if (w.status != TG_OK) return tg_fail(diags, w.status, NULL, "memory is exhausted");
    if (w.is_stopped)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "stopped after %" PRId64 " programs", w.done);
    return TG_OK;
}

static tg_status launch_and_run(const tg_run_request *request, tg_launch *launch, void **owned,
                                const grid *g, tg_run_result *result, tg_diags *diags)
{
    tg_written written;
    tg_status status = set_buffers(request, launch, owned);
    if (!tg_written_init(&written, request->plan->kernel)) status = TG_ERR_NO_MEMORY;
    if (status != TG_OK)
        tg_fail(diags, status, NULL, "memory is exhausted");
    else
        status = tg_launch_bind(launch, diags);
    if (status == TG_OK) {
        tg_observer observer = tg_written_observer(&written);
        launch->observers = &observer;
        launch->observer_count = 1;
        launch->watched = observer.wants;
        status = run_all(request, launch, g, result, diags);
    }
    if (status == TG_OK) finish_outputs(request->plan, launch, &written);
    if (status == TG_OK && launch->findings->is_incomplete)
        status = tg_fail(diags, TG_ERR_NO_MEMORY, NULL, "memory is exhausted");
    tg_written_free(&written);
    return status;
}

tg_status tg_run_grid(const tg_run_request *request, tg_findings *findings, tg_run_result *result,
                      tg_diags *diags)
{
    const tg_kernel *k = request->plan->kernel;
    tg_launch launch = {.plan = request->plan,
                        .lanes = request->lanes,
                        .is_jax = request->is_jax,
                        .axis_count = k->axis_count,
                        .findings = findings,
                        .print = request->print,
                        .print_context = request->context};
    grid g;
    *result = (tg_run_result){0};
    TG_TRY(set_grid(request, &g, diags));
    memcpy(launch.grid, g.size, sizeof launch.grid);
    void **owned = calloc(k->param_count + 1, sizeof *owned);
    launch.buffers = calloc(k->param_count + 1, sizeof *launch.buffers);
    tg_status status = TG_ERR_NO_MEMORY;
    if (!owned || !launch.buffers || pthread_mutex_init(&launch.atomics, NULL) != 0) {
        tg_fail(diags, status, NULL, "memory is exhausted");
    } else {
        status = launch_and_run(request, &launch, owned, &g, result, diags);
        pthread_mutex_destroy(&launch.atomics);
    }
    tg_launch_unbind(&launch);
    free_buffers(k, &launch, owned);
    tg_findings_sort(findings);
    return status;
}
