/* How the types of operands and results relate: the column `rule` of ops.def. */
#ifndef TG_VERIFY_RULES_H
#define TG_VERIFY_RULES_H

#include "verify/impl.h"

/* Checks v->op by its rule.  Its counts of operands, results and regions are those of ops.def, all
 * needed attributes are there, and refs stand only where refs may. */
void tg_verify_rule(const tg_verifier *v);

#endif
