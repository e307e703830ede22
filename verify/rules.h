/* Checks the relation between the types of operands and results: the column `rule` of ops.def. */
#ifndef TG_VERIFY_RULES_H
#define TG_VERIFY_RULES_H

#include "verify/impl.h"

/* Checks v->op by its rule.  The caller has checked that the counts of operands, results and
 * regions are those of ops.def, that all required attributes are there, and that refs are only used
 * where they may be. */
void tg_verify_rule(const tg_verifier *v);

#endif
