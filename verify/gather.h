/* Rules of gather and scatter; see verify/rules.h for when they are called. */
#ifndef TG_VERIFY_GATHER_H
#define TG_VERIFY_GATHER_H

#include "verify/impl.h"

void tg_verify_op_gather(const tg_verifier *v);
void tg_verify_op_scatter(const tg_verifier *v);

#endif
