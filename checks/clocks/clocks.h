/* The clocks of a launch, which several detectors ask.
 *
 * Two detectors alone advance them, once for each event.  `clocks` comes before all that ask: who takes on what others
 * have handed on knows of that in the event itself.  `hand_on` comes behind all that ask: what a thread
 * does as it arrives, or starts an op, belongs to the time that it hands on then. */
#ifndef TG_CHECKS_CLOCKS_CLOCKS_H
#define TG_CHECKS_CLOCKS_CLOCKS_H

#include "checks/clocks/thread_clocks.h"
#include "interp/state/launch.h"

/* Returns the clocks; they live as long as the detectors of the launch, and belong to one of them.  Only for
 * detectors that ask. */
tg_thread_clocks *tg_clocks_of(const tg_launch *launch);

#endif
