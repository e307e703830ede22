#include "pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

/* Work for several members.  XLA calls a task when a thread of its pool is free: perhaps only after
 * the work is done, or never while the caller waits, as the caller itself, and others that wait
 * like it, may be on threads of the pool.  So members are numbered when they begin, the caller
 * waits only for members that have begun, and a task that comes later finds the work closed. */
typedef struct job {
    pthread_mutex_t lock;
    pthread_cond_t ended; /* the last running member has ended */
    pthread_t caller;
    void (*work)(void *work_context, int member);
    void *work_context;
    int begun;      /* members that have begun, including the caller */
    int running;    /* those of them that have not ended, without the caller */
    bool is_closed; /* no more members begin */
    int users;      /* the caller, and tasks that have not ended; the last one frees the job */
} job;

static void drop(job *j)
{
    pthread_mutex_lock(&j->lock);
    const bool is_last = --j->users == 0;
    pthread_mutex_unlock(&j->lock);
    if (!is_last) return;
    pthread_cond_destroy(&j->ended);
    pthread_mutex_destroy(&j->lock);
    free(j);
}

/* Returns the number of a new member; -1 if no work is left.  XLA may call a task at once, on the
 * caller's thread, which is a member already. */
static int begin(job *j)
{
    int member = -1;
    pthread_mutex_lock(&j->lock);
    if (!j->is_closed && !pthread_equal(j->caller, pthread_self())) {
        member = j->begun++;
        j->running++;
    }
    pthread_mutex_unlock(&j->lock);
    return member;
}

static void end(job *j)
{
    pthread_mutex_lock(&j->lock);
    if (--j->running == 0) pthread_cond_signal(&j->ended);
    pthread_mutex_unlock(&j->lock);
}

static void run_task(void *data)
{
    job *j = data;
    const int member = begin(j);
    if (member > 0) {
        j->work(j->work_context, member);
        end(j);
    }
    drop(j);
}

/* Called when the caller has no work left; returns the number of members. */
static int close_job(job *j)
{
    pthread_mutex_lock(&j->lock);
    j->is_closed = true;
    while (j->running > 0) pthread_cond_wait(&j->ended, &j->lock);
    const int count = j->begun;
    pthread_mutex_unlock(&j->lock);
    return count;
}

static void destroy_error(const tg_ffi_frame *frame, tg_ffi_error *error)
{
    tg_ffi_error_destroy_args args = {.struct_size = sizeof args, .error = error};
    frame->api->error_destroy(&args);
}

static void add_users(job *j, int count)
{
    pthread_mutex_lock(&j->lock);
    j->users += count;
    pthread_mutex_unlock(&j->lock);
}

/* Hands one task to the pool; returns false if the pool does not accept it. */
static bool schedule(const tg_ffi_frame *frame, job *j)
{
    tg_ffi_schedule_args args = {
        .struct_size = sizeof args, .context = frame->context, .task = run_task, .data = j};
    add_users(j, 1);
    tg_ffi_error *error = frame->api->schedule(&args);
    if (!error) return true;
    destroy_error(frame, error);
    add_users(j, -1); /* the job stays alive, as the caller is still a user */
    return false;
}

static job *new_job(void (*work)(void *work_context, int member), void *work_context)
{
    job *j = calloc(1, sizeof *j);
    if (!j) return NULL;
    pthread_mutex_init(&j->lock, NULL);
    pthread_cond_init(&j->ended, NULL);
    j->caller = pthread_self();
    j->work = work;
    j->work_context = work_context;
    j->begun = j->users = 1;
    return j;
}

static int run(void *context, int members, void (*work)(void *work_context, int member),
               void *work_context)
{
    const tg_ffi_frame *frame = context;
    job *j = members > 1 ? new_job(work, work_context) : NULL;
    for (int i = 1; j && i < members && schedule(frame, j); i++) continue;
    work(work_context, 0);
    if (!j) return 1;
    const int count = close_job(j);
    drop(j);
    return count;
}

/* Returns 0 if XLA provides no threads. */
static int threads_of(const tg_ffi_frame *frame)
{
    const tg_ffi_api *api = frame->api;
    int64_t count = 0;
    tg_ffi_num_threads_args args = {
        .struct_size = sizeof args, .context = frame->context, .num_threads = &count};
    if (api->struct_size < sizeof *api) return 0; /* an interface without a pool */
    tg_ffi_error *error = api->num_threads(&args);
    if (error) destroy_error(frame, error);
    return error || count < 0 ? 0 : count > INT32_MAX ? INT32_MAX : (int)count;
}

/* The calling thread is one of the pool's, or replaces one. */
static int room(void *context)
{
    const int threads = threads_of(context);
    return threads < 1 ? 1 : threads;
}

const tg_executor *tg_pool_of(const tg_ffi_frame *frame, tg_executor *out)
{
    if (threads_of(frame) == 0) return NULL;
    *out = (tg_executor){
        .size = sizeof *out, .run = run, .room = room, .context = (void *)(uintptr_t)frame};
    return out;
}
