/* Rules of barriers.  They are called as verify/rules.h says. */
#ifndef TG_VERIFY_BARRIER_H
#define TG_VERIFY_BARRIER_H

#include "verify/impl.h"

void tg_verify_op_barrier_arrive(const tg_verifier *v);
void tg_verify_op_barrier_wait(const tg_verifier *v);

#endif
