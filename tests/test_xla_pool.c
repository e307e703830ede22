/* Order parallel on threads that XLA lends, however late they come, and if they never do. */
#include <pthread.h>
#include <unistd.h>

#include "xla_frame.h"

enum { PROGRAMS = 64, MOST_TASKS = 64 };

static const int64_t shape[1] = {PROGRAMS};
static const char squares[] =
    "grid 64\ninput x i32[64] block b1 at i\noutput o i32[64] block b1 at i\nbody\n"
    "%10:i32[1] = load %1 [0:1]; %11:i32[1] = mul %10 %10; store %2 %11 [0:1]\n";

/* ---- pools ---- */

static tg_ffi_schedule_args
    tasks[MOST_TASKS]; /* that have been scheduled, and not run unless they say so */
static pthread_t threads[MOST_TASKS];
static int task_count, room_for = MOST_TASKS;

static tg_ffi_error *keep_task(tg_ffi_schedule_args *args)
{
    if (task_count == room_for) return xla_refuse_pool();
    tasks[task_count++] = *args;
    return NULL;
}

static void run_kept_tasks(void)
{
    for (int i = 0; i < task_count; i++) tasks[i].task(tasks[i].data);
    task_count = 0;
}

static tg_ffi_error *run_at_once(tg_ffi_schedule_args *args)
{
    task_count++;
    args->task(args->data);
    return NULL;
}

static void *run_task(void *argument)
{
    tg_ffi_schedule_args *args = argument;
    args->task(args->data);
    return NULL;
}

static tg_ffi_error *run_on_thread(tg_ffi_schedule_args *args)
{
    tasks[task_count] = *args;
    cr_assert_eq(pthread_create(&threads[task_count], NULL, run_task, &tasks[task_count]), 0);
    task_count++;
    return NULL;
}

static void end_threads(void)
{
    for (int i = 0; i < task_count; i++) pthread_join(threads[i], NULL);
    task_count = 0;
}

/* ---- calls ---- */

static void check_call(const char *order)
{
    int32_t x[PROGRAMS], o[PROGRAMS] = {0};
    xla_call c;
    char *json = json_of(squares);
    for (int i = 0; i < PROGRAMS; i++) x[i] = i - 20;
    xla_begin(&c);
    xla_attrs(&c, json, order, "raise");
    xla_buffer(&c, false, TG_FFI_i32, x, 1, shape);
    xla_buffer(&c, true, TG_FFI_i32, o, 1, shape);
    cr_assert_null(xla_run(&c), "%s", xla_error);
    for (int i = 0; i < PROGRAMS; i++) cr_assert_eq(o[i], x[i] * x[i], "%d", i);
    cr_assert_eq(xla_errors, 0);
    free(json);
}

/* The caller does all the work; what begins when it is done finds nothing, even if the run is long over. */
Test(xla_pool, threads_that_come_late)
{
    xla_threads = 4;
    xla_schedule = keep_task;
    for (int n = 0; n < 5; n++) check_call("parallel:4");
    cr_assert_eq(task_count, 15);
    run_kept_tasks();
}

/* XLA may run a task on the thread that hands it in. */
Test(xla_pool, the_thread_of_the_caller)
{
    xla_threads = 1;
    xla_schedule = run_at_once;
    check_call("parallel:3");
    cr_assert_eq(task_count, 2);
}

Test(xla_pool, threads)
{
    xla_threads = 4;
    xla_schedule = run_on_thread;
    for (int n = 0; n < 50; n++) {
        check_call("parallel:4");
        cr_assert_eq(task_count, 3);
        end_threads();
    }
}

/* A pool that stops taking tasks lends as many threads as it has taken tasks; one that takes none lends none. */
Test(xla_pool, refusals)
{
    xla_threads = 4;
    check_call("parallel:4");
    xla_schedule = keep_task;
    room_for = 2;
    check_call("parallel:4");
    cr_assert_eq(task_count, 2);
    run_kept_tasks();
}

/* Other orders, and work that is not worth it, ask for no thread. */
Test(xla_pool, work_for_one)
{
    static const char *const orders[] = {"sequential", "interleaved:2", "parallel", "parallel:1"};
    xla_threads = 4;
    xla_schedule = keep_task;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) check_call(orders[i]);
    cr_assert_eq(task_count, 0);
}

static int threads_of_process(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[200];
    int count = 0;
    while (file && fgets(line, sizeof line, file)) sscanf(line, "Threads: %d", &count);
    if (file) fclose(file);
    return count;
}

/* Where XLA lends threads there are no others; where it has none, those of OpenMP. */
Test(xla_pool, no_other_threads)
{
    const int before = threads_of_process();
    xla_threads = 4;
    xla_schedule = keep_task;
    check_call("parallel:4");
    cr_assert_eq(threads_of_process(), before);
    run_kept_tasks();
    xla_threads = 0;
    check_call("parallel:4");
    cr_assert_eq(threads_of_process(), before + 3);
}

/* An older interface ends before the functions of the pool. */
Test(xla_pool, interface_without_a_pool)
{
    tg_ffi_api old = xla_api;
    int32_t x[PROGRAMS] = {3}, o[PROGRAMS] = {0};
    xla_call c;
    char *json = json_of(squares);
    old.struct_size = offsetof(tg_ffi_api, schedule);
    old.num_threads = NULL;
    old.schedule = NULL;
    xla_begin(&c);
    c.frame.api = &old;
    xla_attrs(&c, json, "parallel:4", "raise");
    xla_buffer(&c, false, TG_FFI_i32, x, 1, shape);
    xla_buffer(&c, true, TG_FFI_i32, o, 1, shape);
    cr_assert_null(xla_run(&c), "%s", xla_error);
    cr_assert_eq(o[0], 9);
    free(json);
}

/* ---- a pool whose threads all wait ---- */

enum { POOL = 2, CALLS = 6 };

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static void (*queue[MOST_TASKS])(void *data);
static void *queue_data[MOST_TASKS];
static int queued, taken;

static void enqueue(void (*task)(void *data), void *data)
{
    pthread_mutex_lock(&queue_lock);
    queue[queued] = task;
    queue_data[queued++] = data;
    pthread_mutex_unlock(&queue_lock);
}

static tg_ffi_error *enqueue_task(tg_ffi_schedule_args *args)
{
    enqueue(args->task, args->data);
    return NULL;
}

/* A thread of the pool, until nothing is left. */
static void *serve(void *argument)
{
    (void)argument;
    for (;;) {
        pthread_mutex_lock(&queue_lock);
        const int at = taken < queued ? taken++ : -1;
        pthread_mutex_unlock(&queue_lock);
        if (at < 0) return NULL;
        queue[at](queue_data[at]);
    }
}

typedef struct execution {
    tg_ffi_frame frame;
    int32_t x[PROGRAMS], o[PROGRAMS];
    xla_call call;
    bool has_failed;
} execution;

static void execute(void *data)
{
    execution *e = data;
    e->has_failed = tg_xla_execute(&e->frame) != NULL;
}

/* Calls that fill the pool themselves: their tasks stand behind them in its queue, and only they could make room. */
Test(xla_pool, calls_on_all_of_its_threads)
{
    static execution all[CALLS];
    pthread_t pool[POOL];
    char *json = json_of(squares);
    xla_threads = POOL;
    xla_schedule = enqueue_task;
    for (int i = 0; i < CALLS; i++) {
        execution *e = &all[i];
        for (int p = 0; p < PROGRAMS; p++) e->x[p] = i + p;
        xla_begin(&e->call);
        xla_attrs(&e->call, json, "parallel:4", "raise");
        xla_buffer(&e->call, false, TG_FFI_i32, e->x, 1, shape);
        xla_buffer(&e->call, true, TG_FFI_i32, e->o, 1, shape);
        e->frame = e->call.frame;
        enqueue(execute, e);
    }
    cr_assert_null(tg_xla_instantiate(&all[0].frame));
    for (int i = 0; i < POOL; i++) cr_assert_eq(pthread_create(&pool[i], NULL, serve, NULL), 0);
    for (int i = 0; i < POOL; i++) pthread_join(pool[i], NULL);
    cr_assert_eq(taken, CALLS * 4);
    for (int i = 0; i < CALLS; i++) {
        cr_assert_not(all[i].has_failed);
        for (int p = 0; p < PROGRAMS; p++) cr_assert_eq(all[i].o[p], (i + p) * (i + p));
    }
    tg_xla_state_info.deleter(xla_state);
    free(json);
}
