/* The executor that serves where nobody hands in another one: threads of the OpenMP runtime. */
#ifndef TG_BASE_EXECUTOR_OPENMP_H
#define TG_BASE_EXECUTOR_OPENMP_H

#include "tilegrind/executor.h"

/* The runtime keeps the threads of a run for the next one of the same calling thread.  They take no signals.  Where the system
 * has no more threads to give, or OMP_THREAD_LIMIT allows none, there are fewer members.  A process may fork between runs. */
extern const tg_executor tg_executor_openmp;

/* The processors that this process may use. */
int tg_processors(void);

#endif
