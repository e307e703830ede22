/* The memory of a run's parameters. */
#ifndef TG_RUN_BUFFERS_H
#define TG_RUN_BUFFERS_H

#include "run/context.h"

/* Has the run work on `data`, per param, or on copies of it.  False without memory. */
bool tg_buffers_set(tg_run_context *b, void *const *data);

/* Outputs that had to be worked on elsewhere go to the caller's memory. */
void tg_buffers_send_back(const tg_run_context *b, void *const *data);

#endif
