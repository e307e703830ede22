/* Progress on a terminal, for what takes longer than a second. */
#ifndef TG_CLI_PROGRESS_H
#define TG_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tg_progress {
    bool wanted; /* stderr is a terminal */
    bool shown;
    double start, next; /* seconds of the monotonic clock */
} tg_progress;

tg_progress tg_progress_begin(void);
void tg_progress_show(tg_progress *progress, int64_t done, int64_t total);
void tg_progress_end(tg_progress *progress); /* wipes the line */

#endif
