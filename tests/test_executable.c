/* Kernels made ready once and run many times: by one thread and by several, on memory of any alignment, in
 * whatever floating-point environment, and in a child of fork. */
#define _GNU_SOURCE /* pthread_setattr_default_np */
#include <math.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/float_env.h"
#include "run_text.h"

typedef struct prepared {
    tg_module *module;
    tg_executable *executable;
} prepared;

static prepared prepare(const char *text, const char *order)
{
    prepared p = {.module = load_kernel(text)};
    tg_run_options options = {.size = sizeof options, .order = order};
    tg_errors *errors = tg_errors_new();
    tg_status status = tg_executable_new(p.module, NULL, &options, &p.executable, errors);
    if (status != TG_OK) show_errors(errors);
    cr_assert_eq(status, TG_OK);
    tg_errors_free(errors);
    return p;
}

static void drop(prepared *p)
{
    tg_executable_free(p->executable);
    tg_module_free(p->module);
}

/* Runs without findings; returns how many threads there were. */
static int run(const prepared *p, void *const *data)
{
    tg_report *report = NULL;
    cr_assert_eq(tg_executable_run(p->executable, data, NULL, 0, &report, NULL), TG_OK);
    cr_assert_eq(tg_report_finding_count(report), 0);
    int threads = tg_report_stats(report).threads;
    tg_report_free(report);
    return threads;
}

/* ---- again and again ---- */

static const char twice_text[] =
    "grid 4\ninput x f32[8] block b2 at i\noutput o f32[8] block b2 at i\nbody\n"
    "%10:f32[2] = load %1 [0:2]; %11:f32[2] = add %10 %10; store %2 %11 [0:2]\n";

Test(executable, runs_do_not_depend_on_each_other)
{
    static const char *const orders[] = {NULL, "reversed", "shuffled:3", "parallel:3",
                                         "interleaved:2"};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        prepared p = prepare(twice_text, orders[k]);
        for (int n = 0; n < 5; n++) {
            float x[8], o[8];
            for (int i = 0; i < 8; i++) x[i] = (float)(10 * n + i);
            run(&p, (void *[]){x, o});
            for (int i = 0; i < 8; i++) cr_assert_eq(o[i], 2 * x[i]);
        }
        drop(&p);
    }
}

/* What one run left unwritten is not written in the next, and a report outlives its executable. */
Test(executable, each_run_has_its_own_findings)
{
    tg_module *module = load_kernel("grid d\noutput o i32[4] block b1 at i\nbody\n"
                                    "%10:i32[1] = constant value=7; store %1 %10 [0:1]\n");
    tg_executable *executable;
    tg_run_options options = {.size = sizeof options, .order = "shuffled:9", .isa = "baseline"};
    int32_t o[4];
    void *data[] = {o};
    tg_report *reports[3];
    cr_assert_eq(tg_executable_new(module, NULL, &options, &executable, NULL), TG_OK);
    for (int n = 0; n < 3; n++) {
        int64_t size = n == 1 ? 4 : 1;
        cr_assert_eq(tg_executable_run(executable, data, &size, 1, &reports[n], NULL), TG_OK);
        cr_assert_eq(o[3], n == 1 ? 7 : INT32_MIN);
    }
    tg_executable_free(executable);
    for (int n = 0; n < 3; n++) {
        cr_assert_eq(tg_report_finding_count(reports[n]), n != 1);
        cr_assert_eq(tg_report_stats(reports[n]).programs, n == 1 ? 4 : 1);
        cr_assert_str_eq(tg_report_stats(reports[n]).order, "shuffled:9");
        cr_assert_str_eq(tg_report_stats(reports[n]).isa, "baseline");
        if (n != 1) cr_assert_str_eq(tg_report_finding(reports[n], 0).kind, "output-unwritten");
        tg_report_free(reports[n]);
    }
    tg_module_free(module);
}

static void check_failure(const tg_errors *errors, const char *part)
{
    cr_assert_eq(tg_errors_count(errors), 1);
    cr_assert_eq(tg_errors_get(errors, 0).status, TG_ERR_USAGE);
    cr_assert_not_null(strstr(tg_errors_get(errors, 0).message, part), "%s",
                       tg_errors_get(errors, 0).message);
}

static void check_refused(tg_run_options options, const char *kernel, const char *part)
{
    tg_module *module = load_kernel(twice_text);
    tg_errors *errors = tg_errors_new();
    tg_executable *executable = (tg_executable *)1;
    options.size = sizeof options;
    cr_assert_eq(tg_executable_new(module, kernel, &options, &executable, errors), TG_ERR_USAGE);
    cr_assert_null(executable);
    check_failure(errors, part);
    tg_errors_free(errors);
    tg_module_free(module);
}

/* What a program finds where nothing is defined. */
static void check_fill(const char *compat, int16_t i, uint8_t b, float f)
{
    tg_module *module = load_kernel(
        "output o i16[]\noutput p bool[]\noutput q f32[]\noutput r f32[]\nscratch s i16[]\n"
        "scratch t bool[]\nbody\n%10:i16[] = load %5 []; store %1 %10 []\n"
        "%11:bool[] = load %6 []; store %2 %11 []\n%12:f32[] = undefined; store %3 %12 []\n");
    const tg_run_options options = {.size = sizeof options, .compat = compat};
    int16_t o;
    uint8_t p;
    float q, r;
    void *data[] = {&o, &p, &q, &r, NULL, NULL};
    tg_executable *executable;
    tg_report *report;
    cr_assert_eq(tg_executable_new(module, NULL, &options, &executable, NULL), TG_OK);
    cr_assert_eq(tg_executable_run(executable, data, NULL, 0, &report, NULL), TG_OK);
    cr_assert_eq(o, i, "%s: %d", compat, o);
    cr_assert_eq(p, b, "%s: %d", compat, p);
    cr_assert(isnan(f) ? isnan(q) && isnan(r) : q == f && r == f, "%s: %g %g", compat, (double)q,
              (double)r);
    tg_report_free(report);
    tg_executable_free(executable);
    tg_module_free(module);
}

Test(executable, what_is_undefined)
{
    check_fill("strict", INT16_MIN, 0, NAN);
    check_fill("jax", 0, 0, NAN);
    check_fill("tpu", INT16_MAX, 1, NAN);
    check_fill("tpu:zero", 0, 0, 0);
}

Test(executable, refuses)
{
    check_refused((tg_run_options){.order = "sideways"}, NULL, "order \"sideways\" is none of");
    check_refused((tg_run_options){.compat = "numpy"}, NULL,
                  "is none of strict, zero, jax, tpu, tpu:zero");
    check_refused((tg_run_options){.isa = "vax"}, NULL, "instruction set \"vax\"");
    check_refused((tg_run_options){0}, "other", "no kernel \"other\"");
    tg_executable_free(NULL);
}

Test(executable, refuses_grids)
{
    prepared p = prepare("grid d 2 d\nbody\n", NULL);
    static const int64_t sizes[] = {3, -1};
    static const struct {
        const int64_t *sizes;
        size_t count;
        const char *part;
    } rows[] = {{sizes, 1, "2 axes of the grid are dynamic, 1 sizes are given"},
                {NULL, 2, "2 axes of the grid are dynamic, 0 sizes are given"},
                {sizes, 2, "axis 2 of the grid has size -1"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tg_errors *errors = tg_errors_new();
        tg_report *report = (tg_report *)1;
        void *none[] = {NULL};
        cr_assert_eq(
            tg_executable_run(p.executable, none, rows[i].sizes, rows[i].count, &report, errors),
            TG_ERR_USAGE);
        cr_assert_null(report);
        check_failure(errors, rows[i].part);
        tg_errors_free(errors);
    }
    drop(&p);
}

/* ---- memory of any alignment ---- */

/* Copies, adds to an input in place, and reads an output before it is written; with every dtype and offset. */
static void check_alignment(const char *dtype, size_t bytes)
{
    char text[600];
    snprintf(text, sizeof text,
             "grid 3\ninput x %s[7,5] block b3 b5 at i 0\ninput y %s[6]\ninput w %s[6]\n"
             "output o %s[7,5] block b3 b5 at i 0\noutput z %s[6] alias=y\noutput u %s[6]\nbody\n"
             "%%10:%s[3,5] = load %%1 [0:3,0:5]; store %%4 %%10 [0:3,0:5]\n"
             "%%11:%s[6] = load %%3 [0:6]; store %%5 %%11 [0:6]; store %%3 %%11 [0:6]\n"
             "store %%6 %%11 [0:6]; %%12:%s[6] = load %%6 [0:6]; store %%6 %%12 [0:6]\n",
             dtype, dtype, dtype, dtype, dtype, dtype, dtype, dtype, dtype);
    static const size_t count[6] = {35, 6, 6, 35, 6, 6};
    prepared p = prepare(text, NULL);
    for (size_t offset = 0; offset < 9; offset++) {
        unsigned char *block[6];
        void *data[6];
        for (size_t a = 0; a < 6; a++) {
            block[a] = malloc(count[a] * bytes + 16);
            memset(block[a], 0xee, count[a] * bytes + 16);
            data[a] = block[a] + (offset + (offset ? a : 0)) % 9;
            for (size_t i = 0; a < 3 && i < count[a] * bytes; i++)
                ((unsigned char *)data[a])[i] = i % bytes == bytes - 1 ? 1 : (unsigned char)(i & 1);
        }
        run(&p, data);
        cr_assert_eq(memcmp(data[0], data[3], 35 * bytes), 0, "%s at %zu", dtype, offset);
        cr_assert_eq(memcmp(data[2], data[4], 6 * bytes), 0, "%s at %zu", dtype, offset);
        cr_assert_eq(memcmp(data[2], data[5], 6 * bytes), 0, "%s at %zu", dtype, offset);
        for (size_t a = 0; a < 6; a++) {
            size_t before = (size_t)((unsigned char *)data[a] - block[a]);
            for (size_t i = 0; i < 16; i++)
                cr_assert_eq(block[a][i < before ? i : count[a] * bytes + i], 0xee,
                             "%s at %zu: a byte beside array %zu changed", dtype, offset, a);
            free(block[a]);
        }
    }
    drop(&p);
}

Test(executable, any_alignment)
{
    for (tg_dtype dtype = 0; dtype < TG_DT_COUNT; dtype++)
        check_alignment(tg_dtypes[dtype].name, tg_dtypes[dtype].bytes);
}

/* ---- threads ---- */

static const char counting_text[] =
    "grid 64\ninput x i32[64,64] block b1 b64 at i 0\noutput o i32[64] block b1 at i\n"
    "scratch s i32[64]\nbody\n"
    "%10:i32[1,64] = load %1 [0:1,0:64]; %11:i32[64] = reshape %10; store %3 %11 [0:64]\n"
    "%12:i32[64] = load %3 [0:64]; %13:i32[] = reduce_sum %12 axes=[0]\n"
    "%14:i32[1] = broadcast_in_dim %13 dims=[]; store %2 %14 [0:1]\n";

typedef struct worker {
    const prepared *p;
    int number;
    bool is_right;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    int32_t x[64][64], o[64];
    w->is_right = true;
    for (int n = 0; n < 40; n++) {
        for (int i = 0; i < 64; i++)
            for (int j = 0; j < 64; j++) x[i][j] = w->number * 1000 + n + i;
        tg_report *report = NULL;
        if (tg_executable_run(w->p->executable, (void *[]){x, o, NULL}, NULL, 0, &report, NULL))
            w->is_right = false;
        for (int i = 0; i < 64; i++) w->is_right &= o[i] == 64 * (w->number * 1000 + n + i);
        tg_report_free(report);
    }
    return NULL;
}

/* More threads at once than there are places to keep their memory in. */
Test(executable, many_threads_at_once)
{
    enum { THREADS = 24 };
    static const char *const orders[] = {NULL, "interleaved:1", "parallel:2"};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        prepared p = prepare(counting_text, orders[k]);
        pthread_t threads[THREADS];
        worker workers[THREADS];
        for (int i = 0; i < THREADS; i++) {
            workers[i] = (worker){.p = &p, .number = i};
            cr_assert_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            cr_assert(workers[i].is_right, "thread %d", i);
        }
        drop(&p);
    }
}

/* Without a number only what is worth it gets threads, and never more than there are processors. */
Test(executable, threads_that_pay)
{
    static float x[1 << 20], o[1 << 20];
    prepared small = prepare(twice_text, "parallel");
    cr_assert_eq(run(&small, (void *[]){x, o}), 1);
    drop(&small);
    small = prepare(twice_text, "parallel:3");
    cr_assert_eq(run(&small, (void *[]){x, o}), 3);
    drop(&small);
    prepared big = prepare("grid 64\ninput x f32[1048576] block b16384 at i\n"
                           "output o f32[1048576] block b16384 at i\nbody\n"
                           "%10:f32[16384] = load %1 [0:16384]; %11:f32[16384] = sin %10\n"
                           "store %2 %11 [0:16384]\n",
                           "parallel");
    int threads = run(&big, (void *[]){x, o}), most = tg_processor_count();
    cr_assert(threads <= most && (threads > 1 || most == 1), "%d threads on %d processors", threads,
              most);
    drop(&big);
    prepared loop = prepare("grid 8\noutput o i32[8] block b1 at i\nbody\n"
                            "%10:i32[] = constant value=0; %11:i32[] = constant value=9\n"
                            "%12:i32[] = constant value=1; %15:i32[] = for %10 %11 %12 %10 { "
                            "(%13:i32[] %14:i32[]) yield %13 }\n"
                            "%16:i32[1] = broadcast_in_dim %15 dims=[]; store %1 %16 [0:1]\n",
                            "parallel");
    threads = run(&loop, (void *[]){o});
    cr_assert(threads <= most && (threads > 1 || most == 1));
    drop(&loop);
}

/* ---- fork ---- */

/* In the child: the same runs, with threads, both of the executable from before and of a new one. */
Test(executable, works_after_fork)
{
    prepared p = prepare(counting_text, "parallel:4");
    worker w = {.p = &p, .number = 1};
    work(&w);
    cr_assert(w.is_right);
    pid_t child = fork();
    if (child == 0) {
        prepared fresh = prepare(counting_text, "parallel:4");
        worker again = {.p = &p, .number = 2}, new_one = {.p = &fresh, .number = 3};
        alarm(30);
        work(&again);
        work(&new_one);
        _exit(again.is_right && new_one.is_right ? 0 : 1);
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
    drop(&p);
}

/* ---- threads that cannot be made ---- */

/* With stacks larger than any memory no thread starts: the caller does all the work. */
Test(executable, does_without_threads)
{
#ifdef __GLIBC__
    prepared p = prepare(counting_text, "parallel:4");
    static int32_t x[64][64], o[64];
    void *data[] = {x, o, NULL};
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    cr_assert_eq(pthread_attr_setstacksize(&attr, (size_t)1 << 46), 0);
    cr_assert_eq(pthread_setattr_default_np(&attr), 0);
    x[5][0] = 7;
    cr_assert_eq(run(&p, data), 1);
    cr_assert_eq(o[5], 7);
    drop(&p);
#else
    cr_skip_test("needs glibc's way to set the stacks of threads");
#endif
}

/* ---- the floating-point environment ---- */

#if defined __x86_64__

/* Denormal numbers stay, sums round to nearest, literals are read as ever; the caller's environment comes
 * back, in the threads that were started as well. */
Test(executable, floating_point_environment)
{
    static const unsigned environments[] = {
        0x9fc0,          /* denormal numbers are zero, in and out */
        0x1f80 | 0x6000, /* rounding towards zero */
        0xdfc0,          /* both, rounding up */
        0x1d80,          /* division by zero traps */
    };
    static const char *const orders[] = {NULL, "parallel:2", "interleaved:1"};
    float x[4] = {0x1p-140f, 1, 0x1.000002p0f, 0}, o[4];
    for (int e = 0; e < 12; e++) {
        unsigned outside = environments[e % 4];
        _mm_setcsr(outside);
        prepared p = prepare("grid 4\ninput x f32[4] block b1 at i\n"
                             "output o f32[4] block b1 at i\nbody\n"
                             "%10:f32[1] = load %1 [0:1]; %11:f32[1] = constant value='0x1p-24'\n"
                             "%12:f32[1] = constant value='0x1p-149'; %13:f32[1] = mul %12 %12\n"
                             "%14:f32[1] = add %10 %11; %15:f32[1] = sub %14 %14\n"
                             "%16:f32[1] = div %11 %15; %17:bool[1] = is_finite %16\n"
                             "%18:f32[1] = select %17 %14 %16; %19:f32[1] = add %18 %13\n"
                             "%20:f32[1] = constant value='0x1p-100'; %21:bool[1] = lt %10 %20\n"
                             "%22:f32[1] = add %10 %12; %23:f32[1] = select %21 %19 %22\n"
                             "store %2 %23 [0:1]\n",
                             orders[e / 4]);
        tg_report *report = NULL;
        tg_status status =
            tg_executable_run(p.executable, (void *[]){x, o}, NULL, 0, &report, NULL);
        unsigned found = _mm_getcsr();
        _mm_setcsr(0x1f80);
        cr_assert_eq(status, TG_OK);
        cr_assert_eq(found & ~0x3fU, outside & ~0x3fU, "%x became %x", outside, found);
        cr_assert_eq(o[0], 0x1p-140f + 0x1p-149f, "%a in %x", (double)o[0], outside);
        cr_assert_eq(o[1], 1.0f, "%a in %x", (double)o[1], outside);
        cr_assert_eq(o[2], 0x1.000004p0f, "%a in %x", (double)o[2], outside);
        cr_assert_eq(o[3], 0x1p-149f, "%a in %x", (double)o[3], outside);
        tg_report_free(report);
        drop(&p);
    }
}

#endif
