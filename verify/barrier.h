/* Rules of barriers; see verify/rules.h for when they are called. */
#ifndef TG_VERIFY_BARRIER_H
#define TG_VERIFY_BARRIER_H

#include "verify/impl.h"

void tg_verify_op_barrier_arrive(const tg_verifier *v);
void tg_verify_op_barrier_wait(const tg_verifier *v);

#endif
