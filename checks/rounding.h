/* Outputs that may depend on the order of programs by rounding alone: sums of floats by atomics. */
#ifndef TG_CHECKS_ROUNDING_H
#define TG_CHECKS_ROUNDING_H

#include "plan/plan.h"

/* Returns whether any instruction reads the value that the atomic returns. */
bool tg_atomic_is_read(const tg_plan *plan, const tg_inst *inst);

/* Returns whether programs may see the effects of others without a race: through an atomic whose
 * value is read, a semaphore, or a copy that runs beside them.  If they may not, and do not race,
 * each program does the same in every order, because it reads nothing that another one writes. */
bool tg_programs_communicate(const tg_plan *plan);

/* Returns whether an element of output `param` that differs between two orders can differ only
 * because atomics add to it in another order, provided that no two programs race.
 *
 * Reason: in this case no program sees the effects of others.  It reads nothing that they write,
 * because there are no races; it uses no value of an atomic; and there are neither copies nor
 * semaphores.  So each program does the same in every order.  An element that differs between two
 * orders was changed by several programs, and because these do not race, by atomics alone, and all
 * atomics on this memory add floats. */
bool tg_only_adds(const tg_plan *plan, uint32_t param);

#endif
