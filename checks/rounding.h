/* Outputs that the order of programs can change by rounding alone: sums of floats by atomics. */
#ifndef TG_CHECKS_ROUNDING_H
#define TG_CHECKS_ROUNDING_H

#include "plan/plan.h"

/* Whether anything reads the value that the atomic returns. */
bool tg_atomic_is_read(const tg_plan *plan, const struct tg_inst_access *atomic);

/* Whether programs may learn what others do though they do not race: by an atomic whose value is
 * read, a semaphore, or a copy that runs beside them.  If they may not, and do not race, each does
 * the same in every order: it reads nothing that another writes. */
bool tg_programs_communicate(const tg_plan *plan);

/* Whether an element of output `param` that two orders leave different has been added to by
 * atomics, and was touched by nothing else, as long as no two programs race.
 *
 * For then no program learns what others have done: it reads nothing that they write, for want of a
 * race, no atomic tells it anything, and there are neither copies nor semaphores.  So each does the
 * same in every order.  What two orders leave different has been changed by several programs, and
 * as these do not race, by atomics alone, all of which add floats to this memory. */
bool tg_only_adds(const tg_plan *plan, uint32_t param);

#endif
