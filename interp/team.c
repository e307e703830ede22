#define _GNU_SOURCE /* sched_getaffinity */
#include "interp/team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

enum { MOST_MEMBERS = 1024 };

typedef struct member {
    pthread_t thread;
    void (*work)(void *context, int member);
    void *context;
    int number;
} member;

/* Helpers at work in this process.  It only says how many more would be too many; a child of fork has none of
 * them. */
static int helpers;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void forget_helpers(void) { __atomic_store_n(&helpers, 0, __ATOMIC_RELAXED); }

static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_helpers); }

int tg_team_processors(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > MOST_MEMBERS ? MOST_MEMBERS : (int)count;
}

int tg_team_room(void)
{
    int room = tg_team_processors() - __atomic_load_n(&helpers, __ATOMIC_RELAXED);
    return room < 1 ? 1 : room;
}

static void *run_member(void *argument)
{
    member *m = argument;
    m->work(m->context, m->number);
    return NULL;
}

/* Starts members 1 to `members` - 1 as far as that goes; returns how many there are with the caller. */
static int start(member *list, int members, void (*work)(void *context, int member), void *context)
{
    int count = 1;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* what a thread starts with */
    for (; count < members; count++) {
        list[count] = (member){.work = work, .context = context, .number = count};
        if (pthread_create(&list[count].thread, NULL, run_member, &list[count]) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return count;
}

int tg_team_run(int members, void (*work)(void *context, int member), void *context)
{
    member list[MOST_MEMBERS];
    if (members > MOST_MEMBERS) members = MOST_MEMBERS;
    pthread_once(&once, watch_forks);
    int count = start(list, members, work, context);
    __atomic_add_fetch(&helpers, count - 1, __ATOMIC_RELAXED);
    work(context, 0);
    for (int i = 1; i < count; i++) pthread_join(list[i].thread, NULL);
    __atomic_sub_fetch(&helpers, count - 1, __ATOMIC_RELAXED);
    return count;
}
