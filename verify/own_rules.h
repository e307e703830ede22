/* The rules of single ops: a function for each row of ops.def whose column `rule` is OWN, in the
 * file that is about its subject. */
#ifndef TG_VERIFY_OWN_RULES_H
#define TG_VERIFY_OWN_RULES_H

#include "verify/impl.h"

/* Checks v->op, of which the same holds as for tg_verify_rule. */
#define OF_SAME(id)
#define OF_PREDICATE(id)
#define OF_RETYPE(id)
#define OF_REDUCE(id)
#define OF_SCAN(id)
#define OF_OWN(id) void tg_verify_op_##id(const tg_verifier *v);
#define TG_OP(id, in_min, in_max, out, regions, rule, ...) OF_##rule(id)
#include "ir/ops.def"
#undef OF_SAME
#undef OF_PREDICATE
#undef OF_RETYPE
#undef OF_REDUCE
#undef OF_SCAN
#undef OF_OWN

#endif
