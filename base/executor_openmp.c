#define _POSIX_C_SOURCE 200809L /* pthread_sigmask */
#include "base/executor_openmp.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

#include "base/thread_supply.h"

/* The number of working members in this process, without the calling threads.  It only limits how
 * many more may start.  After a fork, the child has none of them. */
static int helpers;

/* The number of threads that the runtime keeps for the next region of this thread, including this
 * thread. */
static _Thread_local int kept = 1;

/* ---- forks ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* After a fork, the child has only the thread that forked, but libgomp in the child would wait for
 * the threads that it keeps for that thread.  So we release them before a fork; parent and child
 * make new ones for their next region. */
static void let_go(void)
{
    if (kept > 1 && omp_pause_resource_all(omp_pause_soft) == 0) kept = 1;
}

static void forget_helpers(void) { __atomic_store_n(&helpers, 0, __ATOMIC_RELAXED); }

static void watch_forks(void) { pthread_atfork(let_go, NULL, forget_helpers); }

/* ---- how many ---- */

int tg_processors(void) { return omp_get_num_procs(); }

static int room(void *context)
{
    (void)context;
    int threads = omp_get_max_threads();
    if (threads > tg_processors()) threads = tg_processors();
    threads -= __atomic_load_n(&helpers, __ATOMIC_RELAXED);
    return threads < 1 ? 1 : threads;
}

/* The runtime ends the process if it cannot create a thread, so we first try whether the threads
 * can be created. */
static int members_for(int members)
{
    if (members > TG_MOST_THREADS) members = TG_MOST_THREADS;
    if (members > omp_get_thread_limit()) members = omp_get_thread_limit();
    if (omp_get_active_level() >= omp_get_max_active_levels()) return 1;
    const int there =
        omp_get_level() ? 1 : kept; /* the runtime keeps no threads for a nested region */
    if (members > there) members = there + tg_thread_supply(members - there);
    return members;
}

/* ---- waiting ---- */

/* A function of libomp; other runtimes lack it. */
extern void kmp_set_blocktime(int milliseconds) __attribute__((weak));

/* By default, waiting threads spin for a while, which takes time from other threads on a busy
 * machine.  libomp has this function to make them sleep at once; libgomp only reads the environment
 * variable OMP_WAIT_POLICY when it is loaded. */
static void let_waiting_threads_sleep(void)
{
    if (kmp_set_blocktime) kmp_set_blocktime(0);
}

/* ---- regions ---- */

typedef struct region {
    void (*work)(void *context, int member);
    void *context;
    sigset_t signals; /* the caller's mask */
    /* The runtime orders the members' work after what was before the region and before what comes
     * after it.  These atomics repeat that order for sanitizers, which do not see into a runtime
     * that is not compiled with them. */
    int is_open, done;
} region;

static void take_part(region *r, int member)
{
    if (member == 0) pthread_sigmask(SIG_SETMASK, &r->signals, NULL);
    if (__atomic_load_n(&r->is_open, __ATOMIC_ACQUIRE)) r->work(r->context, member);
    __atomic_add_fetch(&r->done, 1, __ATOMIC_ACQ_REL);
}

/* Threads that the runtime creates inherit the signal mask at the start of the region. */
static int run_region(region *r, int members)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &r->signals);
    __atomic_store_n(&r->is_open, 1, __ATOMIC_RELEASE);
#pragma omp parallel num_threads(members) default(none) firstprivate(r)
    take_part(r, omp_get_thread_num());
    return __atomic_load_n(&r->done, __ATOMIC_ACQUIRE);
}

static int run(void *context, int members, void (*work)(void *work_context, int member),
               void *work_context)
{
    (void)context;
    if (members > 1) members = members_for(members);
    if (members < 2) {
        work(work_context, 0);
        return 1;
    }
    pthread_once(&once, watch_forks);
    if (kept < members) let_waiting_threads_sleep();
    region r = {.work = work, .context = work_context};
    __atomic_add_fetch(&helpers, members - 1, __ATOMIC_RELAXED);
    const int count = run_region(&r, members);
    __atomic_sub_fetch(&helpers, members - 1, __ATOMIC_RELAXED);
    if (omp_get_level() == 0) kept = count;
    return count;
}

const tg_executor tg_executor_openmp = {.size = sizeof(tg_executor), .run = run, .room = room};
