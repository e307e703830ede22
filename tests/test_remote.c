#define _POSIX_C_SOURCE 200809L /* setenv */
/* Executables on devices: what those on one GPU share, and threads that run them at once.  The GPU is a driver without one,
 * whose kernels do nothing. */
#include <pthread.h>

#include "gpu/fake_device.h"
#include "run_text.h"

static const char twice[] =
    "grid 4\ninput x f32[8] block b2 at i\noutput o f32[8] block b2 at i\nbody\n"
    "%10:f32[2] = load %1 [0:2]; %11:f32[2] = add %10 %10; store %2 %11 [0:2]\n";

static tg_executable *prepare(const tg_module *module, const char *backend)
{
    const tg_run_options options = {.size = sizeof options, .backend = backend};
    tg_errors *errors = tg_errors_new();
    tg_executable *executable;
    const tg_status status = tg_executable_new(module, NULL, &options, &executable, errors);
    if (status != TG_OK) show_errors(errors);
    cr_assert_eq(status, TG_OK);
    tg_errors_free(errors);
    return executable;
}

static void run(tg_executable *executable, float *x, float *o)
{
    void *data[] = {x, o};
    tg_report *report;
    cr_assert_eq(tg_executable_run(executable, data, NULL, 0, &report, NULL), TG_OK);
    cr_assert_eq(tg_report_stats(report).programs, 4);
    tg_report_free(report);
}

Test(remote, executables_on_a_gpu_share_it)
{
    float x[8] = {0}, o[8];
    use_driver(TG_FAKE_DRIVER);
    tg_module *module = load_kernel(twice);
    tg_executable *first = prepare(module, "gpu"), *second = prepare(module, "gpu:0");
    cr_assert_eq(calls_of("cuDevicePrimaryCtxRetain"), 1);
    cr_assert_eq(calls_of("cuModuleLoadDataEx"), 1, "one text is compiled once");
    tg_executable *elsewhere = prepare(module, "gpu:1");
    cr_assert_eq(calls_of("cuDevicePrimaryCtxRetain"), 2);
    cr_assert_eq(calls_of("cuModuleLoadDataEx"), 2);
    tg_executable_free(first);
    run(second, x, o);
    run(elsewhere, x, o);
    first = prepare(module, "gpu");
    cr_assert_eq(calls_of("cuModuleLoadDataEx"), 2);
    run(first, x, o);
    cr_assert_eq(calls_of("cuLaunchKernel"), 3);
    tg_executable_free(second);
    tg_executable_free(first);
    tg_executable_free(elsewhere);
    cr_assert_str_eq(leaks(), "", "the last one closes it");
    tg_executable_free(prepare(module, "gpu"));
    cr_assert_eq(calls_of("cuDevicePrimaryCtxRetain"), 3);
    tg_module_free(module);
}

Test(remote, a_gpu_that_cannot_be_opened_is_asked_again)
{
    const tg_run_options options = {.size = sizeof options, .backend = "gpu"};
    tg_executable *executable;
    use_driver(TG_FAKE_DRIVER);
    tg_module *module = load_kernel(twice);
    setenv("FAKE_CUDA_FAIL", "cuStreamCreate=999", 1);
    cr_assert_eq(tg_executable_new(module, NULL, &options, &executable, NULL), TG_ERR_INTERNAL);
    setenv("FAKE_CUDA_FAIL", "", 1);
    tg_executable_free(prepare(module, "gpu"));
    cr_assert_str_eq(leaks(), "");
    tg_module_free(module);
}

/* ---- threads ---- */

enum { THREADS = 4, RUNS = 20 };

typedef struct job {
    const tg_module *module;
    tg_executable *shared;
    const char *backend;
    int wrong;
} job;

/* Runs what all share, and what it has made for itself. */
static void *work(void *context)
{
    job *j = context;
    for (int n = 0; n < RUNS; n++) {
        float x[8], o[8];
        tg_executable *own = n % 4 ? NULL : prepare(j->module, j->backend);
        for (int i = 0; i < 8; i++) x[i] = (float)(n + i);
        run(own ? own : j->shared, x, o);
        for (int i = 0; i < 8; i++) j->wrong += o[i] != 2 * x[i];
        tg_executable_free(own);
    }
    return NULL;
}

/* Returns how many elements came out wrong. */
static int work_at_once(const char *backend)
{
    pthread_t threads[THREADS];
    job jobs[THREADS];
    int wrong = 0;
    tg_module *module = load_kernel(twice);
    tg_executable *shared = prepare(module, backend);
    for (int t = 0; t < THREADS; t++) {
        jobs[t] = (job){module, shared, backend, 0};
        cr_assert_eq(pthread_create(&threads[t], NULL, work, &jobs[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        wrong += jobs[t].wrong;
    }
    tg_executable_free(shared);
    tg_module_free(module);
    return wrong;
}

Test(remote, threads_take_turns_at_the_emulator) { cr_assert_eq(work_at_once("emulator:5"), 0); }

Test(remote, threads_take_turns_at_a_gpu)
{
    use_driver(TG_FAKE_DRIVER);
    cr_assert_gt(work_at_once("gpu"), 0, "the driver without a GPU computes nothing");
    cr_assert_eq(calls_of("cuLaunchKernel"), THREADS * RUNS);
    cr_assert_str_eq(leaks(), "");
}
