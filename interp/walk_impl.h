/* What the walks share: walk.c, which lets chains run one after the other or freely interleaved, and coupled.c. */
#ifndef TG_INTERP_WALK_IMPL_H
#define TG_INTERP_WALK_IMPL_H

#include "interp/walk.h"

/* How many machines there are of `wanted`: all of them, unless memory is short. */
int tg_walk_machines(tg_walk *w, int wanted);

/* Gets program number `step` of the chain ready to run on `m`, with fresh scratch for the first one. */
void tg_walk_start(tg_walk *w, tg_machine *m, int64_t chain, int64_t step);

/* A program has run to its end. */
void tg_walk_count(tg_walk *w, bool is_caller);

/* Of several threads whose programs are stopped the calling one tells of its own. */
void tg_walk_note_stopped(tg_walk *w, const tg_machine *m);

/* Chains that signal each other's semaphores, as the cores of a device do: all of them are in flight at once, and who
 * waits for another one lets the others run. */
tg_status tg_walk_coupled(tg_walk *w);

#endif
