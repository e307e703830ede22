/* The memory of a run's parameters. */
#ifndef TG_RUN_BUFFERS_H
#define TG_RUN_BUFFERS_H

#include "run/context.h"

/* Makes the run work on `data`, per param, or on copies of it.  Returns false if memory runs
 * out. */
bool tg_buffers_set(tg_run_context *b, void *const *data);

/* Copies outputs that the run computed in other memory to the caller's memory. */
void tg_buffers_send_back(const tg_run_context *b, void *const *data);

#endif
