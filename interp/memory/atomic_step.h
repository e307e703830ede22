/* Atomics are one step each, as others see it: what an atomic accesses, and what observers are told of it. */
#ifndef TG_INTERP_MEMORY_ATOMIC_STEP_H
#define TG_INTERP_MEMORY_ATOMIC_STEP_H

#include <pthread.h>

#include "interp/state/machine.h"

/* Does nothing for an access that is no atomic.  A load that is one must not see a store that observers
 * are told of only later: it would take on too little. */
static inline void tg_atomic_step_begin(const tg_machine *m, const struct tg_inst_access *access)
{
    if (access->is_atomic) pthread_mutex_lock(&m->launch->atomics);
}

static inline void tg_atomic_step_end(const tg_machine *m, const struct tg_inst_access *access)
{
    if (access->is_atomic) pthread_mutex_unlock(&m->launch->atomics);
}

#endif
