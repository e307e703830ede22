/* Where in the memory of parameters something is that a timeline tells of. */
#ifndef TG_CHECKS_TIMELINE_PLACES_H
#define TG_CHECKS_TIMELINE_PLACES_H

#include "checks/timeline/events.h"

/* A place in the memory of parameter `root`, as the chain of `m` or another chain has it;
 * `root` may be UINT32_MAX. */
tg_time_place tg_time_place_of(const tg_machine *m, uint32_t root, const void *at);
tg_time_place tg_time_place_in(const tg_machine *m, const tg_chain *chain, uint32_t root,
                               const void *at);

/* A place in the memory of some parameter, as the chain of `m` has it.  Where parameters share memory it
 * is that of the output, as programs write by its name. */
tg_time_place tg_time_place_at(const tg_machine *m, const void *at);

/* The first place that the program of `m`, which waits, waits for. */
tg_time_place tg_time_place_watched(const tg_machine *m);

/* Sets the places that the op writes and reads. */
void tg_time_places_of(const tg_machine *m, const tg_async_op *op, tg_time_event *event);

#endif
