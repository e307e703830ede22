#include "interrupts.h"

#include <signal.h>
#include <string.h>

static int running;  /* number of running kernels */
static int watching; /* number of active watchers */
static int keeping;  /* number of active watchers with `keeps` */
static int pending;  /* a signal has come, and is kept */
static struct sigaction before;

/* Passes the signal to the previous handler. */
static void hand_on(int number, siginfo_t *info, void *context)
{
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler == SIG_DFL) {
        signal(number, SIG_DFL);
        raise(number);
    } else if (before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    }
}

static void on_interrupt(int number, siginfo_t *info, void *context)
{
    const bool is_first = !__atomic_exchange_n(&pending, 1, __ATOMIC_RELAXED);
    if (is_first && __atomic_load_n(&running, __ATOMIC_RELAXED) > 0) return;
    if (is_first) __atomic_store_n(&pending, 0, __ATOMIC_RELAXED);
    hand_on(number, info, context);
}

static bool is_ours(void)
{
    struct sigaction now;
    return sigaction(SIGINT, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
           now.sa_sigaction == on_interrupt;
}

void tg_xla_watch_interrupts(int begins, int keeps)
{
    struct sigaction ours = {.sa_sigaction = on_interrupt, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&ours.sa_mask);
    if (keeps) __atomic_add_fetch(&keeping, begins, __ATOMIC_RELAXED);
    watching += begins;
    if (begins > 0 && watching == 1) sigaction(SIGINT, &ours, &before);
    /* A handler that others have installed stays, and chains to ours for good. */
    if (watching == 0 && is_ours()) sigaction(SIGINT, &before, NULL);
}

int tg_xla_take_interrupt(void) { return __atomic_exchange_n(&pending, 0, __ATOMIC_RELAXED); }

void tg_interrupts_begin(void) { __atomic_add_fetch(&running, 1, __ATOMIC_RELAXED); }

void tg_interrupts_end(bool is_stopped)
{
    __atomic_sub_fetch(&running, 1, __ATOMIC_RELAXED);
    /* The signal came too late to stop this kernel, or no watcher asks for it. */
    if ((!is_stopped || __atomic_load_n(&keeping, __ATOMIC_RELAXED) == 0) &&
        __atomic_load_n(&pending, __ATOMIC_RELAXED) && tg_xla_take_interrupt())
        hand_on(SIGINT, NULL, NULL);
}

int tg_interrupts_progress(void *context, int64_t done, int64_t total)
{
    (void)context;
    (void)done;
    (void)total;
    return __atomic_load_n(&pending, __ATOMIC_RELAXED);
}
