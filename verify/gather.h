/* Rules of gather and scatter.  They are called as verify/rules.h says. */
#ifndef TG_VERIFY_GATHER_H
#define TG_VERIFY_GATHER_H

#include "verify/impl.h"

void tg_verify_op_gather(const tg_verifier *v);
void tg_verify_op_scatter(const tg_verifier *v);

#endif
