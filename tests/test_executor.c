/* Executors: threads of OpenMP, which outlive a run but no fork, and those that the caller of a run hands in. */
#define _GNU_SOURCE /* setresuid */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/executor_openmp.h"
#include "base/thread_supply.h"
#include "run_text.h"

enum { MOST = 16 };

/* What members saw. */
typedef struct workers {
    int calls[MOST];
    pthread_t threads[MOST];
    bool takes_signals[MOST]; /* any at all */
    bool waits;               /* for each other, so that no thread can be two of them */
    int wanted, begun;
} workers;

static void take_part(void *context, int member)
{
    workers *c = context;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    c->takes_signals[member] = !sigismember(&mask, SIGINT) || !sigismember(&mask, SIGTERM);
    c->threads[member] = pthread_self();
    __atomic_add_fetch(&c->calls[member], 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&c->begun, 1, __ATOMIC_RELAXED);
    while (c->waits && __atomic_load_n(&c->begun, __ATOMIC_RELAXED) < c->wanted) usleep(100);
}

static int run_openmp(int members, workers *c)
{
    *c = (workers){.waits = c->waits, .wanted = members};
    const int count = tg_executor_openmp.run(tg_executor_openmp.context, members, take_part, c);
    for (int i = 0; i < MOST; i++)
        if (c->calls[i] != (i < count)) return -1; /* in a child nothing can be asserted */
    return count;
}

static int threads_of_process(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[200];
    int threads = 0;
    while (file && fgets(line, sizeof line, file)) sscanf(line, "Threads: %d", &threads);
    if (file) fclose(file);
    return threads;
}

/* ---- OpenMP ---- */

Test(executor, members)
{
    workers c = {.waits = true};
    static const int counts[] = {4, 2, 1, 3, 8, 8, 4};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        cr_assert_eq(run_openmp(counts[i], &c), counts[i]);
        cr_assert(pthread_equal(c.threads[0], pthread_self()));
        for (int a = 0; a < counts[i]; a++)
            for (int b = 0; b < a; b++) cr_assert(!pthread_equal(c.threads[a], c.threads[b]));
    }
}

/* Signals of the process go to the threads that were there before. */
Test(executor, signals)
{
    workers c = {.waits = true};
    sigset_t before, after;
    for (int n = 0; n < 3; n++) {
        pthread_sigmask(SIG_SETMASK, NULL, &before);
        cr_assert_eq(run_openmp(4, &c), 4);
        pthread_sigmask(SIG_SETMASK, NULL, &after);
        cr_assert(c.takes_signals[0]);
        for (int i = 1; i < 4; i++) cr_assert_not(c.takes_signals[i], "member %d", i);
        for (int s = 1; s < 32; s++) cr_assert_eq(sigismember(&before, s), sigismember(&after, s));
    }
}

static void run_within(void *context, int member)
{
    workers inner = {.waits = false};
    int *counts = context;
    counts[member] = run_openmp(2, &inner);
}

/* A run within a member of another one, as of a callback that runs a kernel. */
Test(executor, nested)
{
    int counts[2] = {0};
    cr_assert_eq(tg_executor_openmp.run(NULL, 2, run_within, counts), 2);
    for (int i = 0; i < 2; i++) cr_assert(counts[i] >= 1, "member %d: %d", i, counts[i]);
}

static void look_at_room(void *context, int member)
{
    if (member == 0) *(int *)context = tg_executor_openmp.room(NULL);
}

/* Who runs while others do finds less room, and all of it afterwards. */
Test(executor, room)
{
    int within = 0;
    const int most = tg_executor_openmp.room(NULL);
    cr_assert(most >= 1 && most <= tg_processors());
    cr_assert_eq(tg_executor_openmp.run(NULL, 2, look_at_room, &within), 2);
    cr_assert_eq(within, most > 1 ? most - 1 : 1);
    cr_assert_eq(tg_executor_openmp.room(NULL), most);
}

static void *run_often(void *argument)
{
    workers c = {.waits = true};
    for (int n = 0; n < 50; n++)
        if (run_openmp(1 + n % 3, &c) != 1 + n % 3) *(bool *)argument = false;
    return NULL;
}

Test(executor, callers_at_once)
{
    enum { CALLERS = 6 };
    pthread_t threads[CALLERS];
    bool is_right[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        is_right[i] = true;
        cr_assert_eq(pthread_create(&threads[i], NULL, run_often, &is_right[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < CALLERS; i++) cr_assert(is_right[i], "caller %d", i);
}

/* ---- forks ---- */

/* Ends in the child with whether `is_right`; in the parent, whether the child did well. */
static bool ends_well(pid_t child, bool is_right)
{
    int status = -1;
    if (child == 0) _exit(is_right ? 0 : 1);
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool runs_here(void)
{
    workers c = {.waits = true};
    alarm(30);
    return run_openmp(4, &c) == 4 && run_openmp(3, &c) == 3;
}

/* A run, a fork, and a run in both; then once more in the child, which has threads of its own by then. */
static bool runs_in_both(int generations)
{
    bool is_right = runs_here();
    const pid_t child = fork();
    is_right &= runs_here();
    if (child == 0 && generations > 1) is_right &= runs_in_both(generations - 1);
    return ends_well(child, is_right) && is_right;
}

Test(executor, forks)
{
    for (int n = 0; n < 3; n++) cr_assert(runs_in_both(3));
}

static void *fork_here(void *argument)
{
    *(bool *)argument = runs_in_both(1);
    return NULL;
}

/* The thread that forks has run nothing before, or has, and so has another one. */
Test(executor, forks_of_other_threads)
{
    bool is_right = false;
    pthread_t thread;
    cr_assert(runs_here());
    const pid_t child = fork();
    cr_assert(ends_well(child, child == 0 && runs_here()));
    cr_assert_eq(pthread_create(&thread, NULL, fork_here, &is_right), 0);
    pthread_join(thread, NULL);
    cr_assert(is_right);
    cr_assert(runs_here());
}

static void *run_until(void *argument)
{
    workers c = {.waits = true};
    while (!__atomic_load_n((bool *)argument, __ATOMIC_RELAXED)) run_openmp(3, &c);
    return NULL;
}

/* While another thread is within a run. */
Test(executor, forks_beside_a_run)
{
    bool is_over = false;
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, run_until, &is_over), 0);
    for (int n = 0; n < 5; n++) cr_assert(runs_in_both(1));
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
}

/* ---- limits ---- */

/* Lets this process have `more` threads than now, as far as its user's own count says: where that is root, who has no limits,
 * as a user that has nothing else. */
static bool limit_threads(int more)
{
    const int now = threads_of_process();
    const rlim_t most = (rlim_t)(now + more);
    if (setrlimit(RLIMIT_NPROC, &(struct rlimit){most, most}) != 0) return false;
    return geteuid() != 0 || setresuid(54321, 54321, 54321) == 0;
}

/* Where the system gives fewer threads than wanted there are fewer members, and the process goes on. */
static bool fits_limit(int more)
{
    workers c = {.waits = false};
    const bool was_root = geteuid() == 0;
    if (!limit_threads(more)) return false;
    alarm(30);
    bool is_right = true;
    for (int n = 0; n < 50 && is_right; n++) {
        const int count = run_openmp(2 + n % 7, &c);
        /* Other processes of the same user may use up more of it. */
        is_right = count >= 1 && count <= 1 + more && (!was_root || count > 1 || !more);
    }
    return is_right;
}

Test(executor, too_few_threads)
{
    for (int more = 0; more < 5; more++) {
        const pid_t child = fork();
        cr_assert(ends_well(child, child == 0 && fits_limit(more)), "%d more threads", more);
    }
}

Test(executor, supply)
{
    const int before = threads_of_process();
    cr_assert_eq(tg_thread_supply(0), 0);
    cr_assert_eq(tg_thread_supply(20), 20);
    cr_assert_eq(threads_of_process(), before);
}

/* ---- executors of the caller ---- */

static const char square_text[] =
    "grid 24\ninput x i32[24] block b1 at i\noutput o i32[24] block b1 at i\nbody\n"
    "%10:i32[1] = load %1 [0:1]; %11:i32[1] = mul %10 %10; store %2 %11 [0:1]\n";

/* How an executor of a test does its work; `asked` and `given` are the members of its last run. */
typedef struct lender {
    int most; /* members */
    bool is_backwards;
    int runs, asked, given;
    pthread_t caller;
} lender;

/* All members one after the other on the calling thread: of those after the first none finds anything left. */
static int run_here(void *context, int members, void (*work)(void *work_context, int member),
                    void *work_context)
{
    lender *l = context;
    l->runs++;
    l->asked = members;
    l->given = members < l->most ? members : l->most;
    cr_assert(pthread_equal(l->caller, pthread_self()));
    for (int i = 0; i < l->given; i++) work(work_context, l->is_backwards ? l->given - 1 - i : i);
    return l->given;
}

static int room_of(void *context) { return ((lender *)context)->most; }

static tg_executor executor_of(lender *l)
{
    l->caller = pthread_self();
    return (tg_executor){
        .size = sizeof(tg_executor), .run = run_here, .room = room_of, .context = l};
}

typedef struct prepared {
    tg_module *module;
    tg_executable *executable;
} prepared;

static prepared prepare(const char *order, const tg_executor *executor)
{
    prepared p = {.module = load_kernel(square_text)};
    tg_run_options options = {.size = sizeof options, .order = order, .executor = executor};
    cr_assert_eq(tg_executable_new(p.module, NULL, &options, &p.executable, NULL), TG_OK);
    return p;
}

/* Runs it, perhaps on an executor of this run's own; returns how many threads there were. */
static int check_run(const prepared *p, const tg_executor *executor)
{
    int32_t x[24], o[24] = {0};
    tg_report *report = NULL;
    for (int i = 0; i < 24; i++) x[i] = i;
    cr_assert_eq(
        tg_executable_run_on(p->executable, executor, (void *[]){x, o}, NULL, 0, &report, NULL),
        TG_OK);
    for (int i = 0; i < 24; i++) cr_assert_eq(o[i], i * i);
    cr_assert_eq(tg_report_finding_count(report), 0);
    cr_assert_eq(tg_report_stats(report).programs, 24);
    const int threads = tg_report_stats(report).threads;
    tg_report_free(report);
    return threads;
}

static void drop(prepared *p)
{
    tg_executable_free(p->executable);
    tg_module_free(p->module);
}

Test(executor, of_the_options)
{
    static const struct {
        int most;
        bool is_backwards;
        int threads;
    } rows[] = {{1, false, 1}, {2, false, 2}, {2, true, 2}, {4, true, 4}, {8, false, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lender l = {.most = rows[i].most, .is_backwards = rows[i].is_backwards};
        const tg_executor executor = executor_of(&l);
        prepared p = prepare("parallel:4", &executor);
        for (int n = 0; n < 3; n++) cr_assert_eq(check_run(&p, NULL), rows[i].threads);
        cr_assert_eq(l.runs, 3);
        cr_assert_eq(l.asked, 4);
        drop(&p);
    }
}

Test(executor, of_one_run)
{
    lender of_all = {.most = 2}, of_one = {.most = 3};
    const tg_executor all = executor_of(&of_all), one = executor_of(&of_one);
    prepared p = prepare("parallel:4", &all);
    cr_assert_eq(check_run(&p, &one), 3);
    cr_assert_eq(of_all.runs, 0);
    cr_assert_eq(check_run(&p, NULL), 2);
    cr_assert_eq(of_one.runs, 1);
    drop(&p);
    p = prepare("parallel:4", NULL);
    cr_assert_eq(check_run(&p, &one), 3);
    cr_assert_eq(check_run(&p, NULL), 4);
    drop(&p);
}

/* Other orders have one thread, and ask for none. */
Test(executor, of_other_orders)
{
    static const char *const orders[] = {NULL, "reversed", "shuffled:3", "interleaved:2"};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        lender l = {.most = 4};
        const tg_executor executor = executor_of(&l);
        prepared p = prepare(orders[i], &executor);
        cr_assert_eq(check_run(&p, &executor), 1);
        cr_assert_eq(l.runs, 0);
        drop(&p);
    }
}

/* Without a number an executor is asked for what it has room for, where the work is worth it. */
Test(executor, of_work_that_pays)
{
    static float x[1 << 20], o[1 << 20];
    lender l = {.most = 5};
    const tg_executor executor = executor_of(&l);
    prepared p = {.module =
                      load_kernel("grid 64\ninput x f32[1048576] block b16384 at i\n"
                                  "output o f32[1048576] block b16384 at i\nbody\n"
                                  "%10:f32[16384] = load %1 [0:16384]; %11:f32[16384] = sin %10\n"
                                  "store %2 %11 [0:16384]\n")};
    tg_run_options options = {.size = sizeof options, .order = "parallel", .executor = &executor};
    tg_report *report = NULL;
    cr_assert_eq(tg_executable_new(p.module, NULL, &options, &p.executable, NULL), TG_OK);
    cr_assert_eq(tg_executable_run(p.executable, (void *[]){x, o}, NULL, 0, &report, NULL), TG_OK);
    cr_assert_eq(l.asked, 5);
    cr_assert_eq(tg_report_stats(report).threads, 5);
    tg_report_free(report);
    drop(&p);
}
