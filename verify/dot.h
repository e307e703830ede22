/* The rule of dot_general; see verify/rules.h for when it is called. */
#ifndef TG_VERIFY_DOT_H
#define TG_VERIFY_DOT_H

#include "verify/impl.h"

void tg_verify_op_dot_general(const tg_verifier *v);

#endif
