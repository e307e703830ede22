#define _GNU_SOURCE /* for pipe2 */
#include "gpu_backend/device/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

extern char **environ;

enum { MOST_OUTPUT = 1 << 16 };

double tg_process_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Starts argv in a process group of its own, so that all its processes can be killed together, and
 * without the calling thread's signal mask.  Returns 0 or an errno. */
static int spawn(char *const *argv, int output, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    int code = posix_spawn_file_actions_init(&files);
    if (code) return code;
    code = posix_spawnattr_init(&attributes);
    if (code) {
        posix_spawn_file_actions_destroy(&files);
        return code;
    }
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    code = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!code) code = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    if (!code) code = posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
    if (!code) code = posix_spawn(pid, argv[0], &files, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return code;
}

static void keep(tg_text *text, const char *bytes, size_t count)
{
    const size_t room = MOST_OUTPUT - text->length;
    tg_text_put_bytes(text, bytes, count < room ? count : room);
}

/* Reads until the other side closes; returns false at the time limit. */
static bool listen_until(double end, int output, tg_text *text)
{
    for (;;) {
        const double left = end - tg_process_clock();
        if (left <= 0) return false;
        struct pollfd ready = {.fd = output, .events = POLLIN};
        const int count = poll(&ready, 1, left < 1 ? (int)(left * 1000) + 1 : 1000);
        if (count < 0 && errno != EINTR) return true;
        if (count <= 0) continue;
        char bytes[4096];
        const ssize_t got = read(output, bytes, sizeof bytes);
        if (got == 0 || (got < 0 && errno != EINTR)) return true;
        if (got > 0) keep(text, bytes, (size_t)got);
    }
}

/* Waits until a program whose output has ended exits; returns false at the time limit. */
static bool wait_until(double end, pid_t pid, int *status)
{
    for (long pause_ns = 100 * 1000;;
         pause_ns = pause_ns < 10 * 1000 * 1000 ? 2 * pause_ns : pause_ns) {
        const pid_t done = waitpid(pid, status, WNOHANG);
        if (done == pid) return true;
        if (done < 0 && errno != EINTR) { /* a process that ignores SIGCHLD gets no exit status */
            *status = -1;
            return true;
        }
        if (tg_process_clock() >= end) return false;
        nanosleep(&(struct timespec){0, pause_ns}, NULL);
    }
}

static void end_now(pid_t pid, int *status)
{
    kill(-pid, SIGKILL);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR) {
    }
}

tg_status tg_process_run(char *const *argv, double limit_s, tg_process_result *out, tg_diags *diags)
{
    int ends[2], status = -1;
    pid_t pid;
    tg_text text = {0};
    const double start = tg_process_clock();
    *out = (tg_process_result){.exit_code = -1};
    int code = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    if (code) return tg_fail(diags, TG_ERR_IO, NULL, "no pipe to %s: %s", argv[0], strerror(code));
    code = spawn(argv, ends[1], &pid);
    close(ends[1]);
    if (code == 0) {
        out->timed_out = !listen_until(start + limit_s, ends[0], &text) ||
                         !wait_until(start + limit_s, pid, &status);
        if (out->timed_out) end_now(pid, &status);
    }
    close(ends[0]);
    out->seconds = tg_process_clock() - start;
    tg_text_put(&text, "");
    out->output = tg_text_finish(&text);
    if (status != -1 && WIFEXITED(status)) out->exit_code = WEXITSTATUS(status);
    if (status != -1 && WIFSIGNALED(status)) out->signal = WTERMSIG(status);
    if (code == 0 && out->output) return TG_OK;
    free(out->output);
    out->output = NULL;
    return code ? tg_fail(diags, TG_ERR_IO, NULL, "%s cannot be started: %s", argv[0],
                          strerror(code))
                : tg_no_memory(diags);
}
