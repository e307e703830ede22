#define _POSIX_C_SOURCE 200809L /* clock_gettime, isatty */
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/style.h"

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

tg_progress tg_progress_begin(void)
{
    double start = now();
    return (tg_progress){.wanted = isatty(STDERR_FILENO), .start = start, .next = start + 1};
}

void tg_progress_show(tg_progress *progress, int64_t done, int64_t total)
{
    char done_text[TG_NUMBER_TEXT], total_text[TG_NUMBER_TEXT];
    if (!progress->wanted || total <= 0) return;
    double time = now();
    if (time < progress->next) return;
    progress->next = time + 0.1;
    progress->shown = true;
    fprintf(stderr, "\r\033[K%3d %% (%s of %s programs, %.0f s)",
            (int)(100 * (double)done / (double)total), tg_number_text(done, done_text),
            tg_number_text(total, total_text), time - progress->start);
    fflush(stderr);
}

void tg_progress_end(tg_progress *progress)
{
    if (progress->shown) fputs("\r\033[K", stderr);
    progress->shown = false;
}
