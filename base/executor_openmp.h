/* The default executor: threads of the OpenMP runtime. */
#ifndef TG_BASE_EXECUTOR_OPENMP_H
#define TG_BASE_EXECUTOR_OPENMP_H

#include "tilegrind/executor.h"

/* The runtime keeps the threads of a run for the next run of the same calling thread.  The threads
 * block all signals.  If the system has no more threads, or OMP_THREAD_LIMIT allows no more, the
 * executor has fewer members.  A process may fork between runs. */
extern const tg_executor tg_executor_openmp;

/* The number of processors that this process may use. */
int tg_processors(void);

#endif
