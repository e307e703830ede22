#define _POSIX_C_SOURCE 200809L /* pthread_sigmask */
#include "base/executor_openmp.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

#include "base/thread_supply.h"

/* Members at work in this process besides those that called.  It only says how many more would be too many; a child of fork has none
 * of them. */
static int helpers;

/* Threads that the runtime keeps for the next region of this thread, this one included. */
static _Thread_local int kept = 1;

/* ---- forks ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A child has the thread that forks and no other, but libgomp would wait in it for the threads that it keeps for that one.  So it
 * keeps none then, and makes new ones for the next region, here and there. */
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

/* The runtime ends the process where it cannot make a thread, so those that it is going to make are tried before. */
static int members_for(int members)
{
    if (members > TG_MOST_THREADS) members = TG_MOST_THREADS;
    if (members > omp_get_thread_limit()) members = omp_get_thread_limit();
    if (omp_get_active_level() >= omp_get_max_active_levels()) return 1;
    const int there =
        omp_get_level() ? 1 : kept; /* nothing is kept for a region within another one */
    if (members > there) members = there + tg_thread_supply(members - there);
    return members;
}

/* ---- waiting ---- */

/* libomp's; other runtimes have no such function. */
extern void kmp_set_blocktime(int milliseconds) __attribute__((weak));

/* Threads that wait spin for a while, by default, and take that time from others on a machine that is busy: libomp lets us say
 * that they shall sleep at once, libgomp only the environment that it is loaded in (OMP_WAIT_POLICY). */
static void let_waiting_threads_sleep(void)
{
    if (kmp_set_blocktime) kmp_set_blocktime(0);
}

/* ---- regions ---- */

typedef struct region {
    void (*work)(void *context, int member);
    void *context;
    sigset_t signals; /* the caller's mask */
    /* The runtime orders what members do and what was before and comes after.  These say it once more, to sanitizers, which
     * do not see into a runtime that is not compiled with them. */
    int is_open, done;
} region;

static void take_part(region *r, int member)
{
    if (member == 0) pthread_sigmask(SIG_SETMASK, &r->signals, NULL);
    if (__atomic_load_n(&r->is_open, __ATOMIC_ACQUIRE)) r->work(r->context, member);
    __atomic_add_fetch(&r->done, 1, __ATOMIC_ACQ_REL);
}

/* Threads that the runtime makes inherit the mask in which the region begins. */
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
