/* Ctrl-C while a kernel runs.
 *
 * Python acts on a signal only when its main thread has returned from XLA, that is when the kernel
 * ends.  So while watching is on, a handler of SIGINT asks running kernels to stop, and
 * keeps the signal for the watcher. */
#ifndef TG_PYTHON_XLA_INTERRUPTS_H
#define TG_PYTHON_XLA_INTERRUPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "tilegrind/tilegrind.h"

/* Begins to watch (1), or ends one begin (-1); not to be called by two threads at once.  With
 * `keeps` the watcher calls tg_xla_take_interrupt after the kernels.  If no watcher does, the
 * previous handler gets the signal once it has stopped a kernel.  The previous handler also gets
 * signals that come while no kernel runs, and the second of two signals. */
TG_API void tg_xla_watch_interrupts(int begins, int keeps);

/* Whether a signal has stopped a kernel, or will stop the next one, since the last call. */
TG_API int tg_xla_take_interrupt(void);

/* To be called when a kernel begins to run, and when it ends, stopped or not. */
void tg_interrupts_begin(void);
void tg_interrupts_end(bool is_stopped);

/* As tg_run_options.progress: whether a signal has come. */
int tg_interrupts_progress(void *context, int64_t done, int64_t total);

#endif
