/* Rules of single ops on elements and literals; see verify/rules.h for when they are called. */
#ifndef TG_VERIFY_VALUE_H
#define TG_VERIFY_VALUE_H

#include "verify/impl.h"

void tg_verify_op_pow(const tg_verifier *v);
void tg_verify_op_select(const tg_verifier *v);
void tg_verify_op_clamp(const tg_verifier *v);
void tg_verify_op_constant(const tg_verifier *v);
void tg_verify_op_iota(const tg_verifier *v);
void tg_verify_op_undefined(const tg_verifier *v);
void tg_verify_op_bitcast(const tg_verifier *v);
void tg_verify_op_argmax(const tg_verifier *v);
void tg_verify_op_argmin(const tg_verifier *v);

#endif
