/* Blocks of outputs that a chain of programs leaves and comes back to, and those that are an input's alias.
 *
 * Where blocks are copied to fast memory and back, as on a TPU, a block is written back when it is left, and is not fetched when it is
 * come back to: then it holds anything.  So what a later visit reads must have been written in that visit, and all of it must be.  The
 * same holds on a TPU for any visit to a block that is an input's alias, as what the input holds is not fetched for it either. */
#ifndef TG_CHECKS_REVISITS_H
#define TG_CHECKS_REVISITS_H

#include "interp/machine.h"

/* Whether the launch looks for either. */
bool tg_revisits_are_needed(const tg_launch *launch);

/* For a machine whose launch needs this.  False without memory; in either case to be freed. */
bool tg_revisits_init(tg_machine *m);
void tg_revisits_free(tg_machine *m);

/* A chain begins and ends; a program of it starts, with its blocks found. */
void tg_revisits_begin(tg_machine *m);
void tg_revisits_end(tg_machine *m);
void tg_revisits_start(tg_machine *m);

/* The program touches memory. */
void tg_revisits_touched(const tg_machine *m, const tg_touch *touch);

#endif
