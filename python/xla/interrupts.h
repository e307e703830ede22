/* Ctrl-C while a kernel runs.
 *
 * Python acts on a signal only when its main thread is back from XLA, which is when the kernel ends.  So as long as somebody
 * watches, a handler of SIGINT asks the kernels that run to stop, and keeps the signal for who watches. */
#ifndef TG_PYTHON_XLA_INTERRUPTS_H
#define TG_PYTHON_XLA_INTERRUPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "tilegrind/tilegrind.h"

/* Begins to watch (1), and ends it (-1), as often: not by two threads at once.  `keeps`: who watches asks tg_xla_take_interrupt, behind the
 * kernels; if nobody does, the handler that was there gets the signal when it has stopped a kernel.  It also gets those that come while
 * no kernel runs, and the second one of two. */
TG_API void tg_xla_watch_interrupts(int begins, int keeps);

/* Whether a signal has stopped a kernel, or will stop the next one, since the last call. */
TG_API int tg_xla_take_interrupt(void);

/* A kernel begins to run, and ends, stopped or not. */
void tg_interrupts_begin(void);
void tg_interrupts_end(bool is_stopped);

/* As tg_run_options.progress: whether a signal has come. */
int tg_interrupts_progress(void *context, int64_t done, int64_t total);

#endif
