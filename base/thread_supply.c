#define _GNU_SOURCE /* syscall */
#include "base/thread_supply.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

typedef struct trial {
    pthread_mutex_t *gate; /* locked until all threads exist */
    pthread_t thread;
    long id; /* the system's number of the thread; 0: unknown */
} trial;

static void *wait_at_gate(void *argument)
{
    trial *t = argument;
#ifdef __linux__
    t->id = syscall(SYS_gettid);
#endif
    pthread_mutex_lock(t->gate);
    pthread_mutex_unlock(t->gate);
    /* The threads of libgomp end like this as well.  So the C library loads here what it needs for
     * that, and not later, when a fork ends those threads. */
    pthread_exit(NULL);
}

static bool is_there(long id)
{
#ifdef __linux__
    return syscall(SYS_tgkill, getpid(), id, 0) == 0;
#else
    (void)id;
    return false;
#endif
}

/* A joined thread counts against the system's limits for a moment longer: until its thread number
 * is free.  The moment is long where something keeps the processor on which the thread ends busy.
 * The number may be given to another thread, so this function does not wait for ever. */
static void wait_until_gone(long id)
{
    enum { YIELDS = 100, SLEEPS = 10000 }; /* in all about a second */
    for (int i = 0; i < YIELDS && is_there(id); i++) sched_yield();
    for (int i = 0; i < SLEEPS && is_there(id); i++)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

/* Creates as many of the threads as it can, under a signal mask that they inherit. */
static int make(trial *list, int wanted, pthread_mutex_t *gate)
{
    int count = 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; count < wanted; count++) {
        list[count] = (trial){.gate = gate};
        if (pthread_create(&list[count].thread, NULL, wait_at_gate, &list[count]) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return count;
}

int tg_thread_supply(int wanted)
{
    trial list[TG_MOST_THREADS];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    if (wanted > TG_MOST_THREADS) wanted = TG_MOST_THREADS;
    pthread_mutex_lock(&gate);
    const int count = make(list, wanted, &gate);
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < count; i++) pthread_join(list[i].thread, NULL);
    for (int i = 0; i < count; i++) wait_until_gone(list[i].id);
    pthread_mutex_destroy(&gate);
    return count;
}
