/* Rules of single ops that move elements; see verify/rules.h for when they are called. */
#ifndef TG_VERIFY_SHAPE_H
#define TG_VERIFY_SHAPE_H

#include "verify/impl.h"

void tg_verify_op_broadcast_in_dim(const tg_verifier *v);
void tg_verify_op_reshape(const tg_verifier *v);
void tg_verify_op_transpose(const tg_verifier *v);
void tg_verify_op_rev(const tg_verifier *v);
void tg_verify_op_slice(const tg_verifier *v);
void tg_verify_op_dynamic_slice(const tg_verifier *v);
void tg_verify_op_dynamic_update_slice(const tg_verifier *v);
void tg_verify_op_concatenate(const tg_verifier *v);
void tg_verify_op_pad(const tg_verifier *v);
void tg_verify_op_tile(const tg_verifier *v);
void tg_verify_op_sort(const tg_verifier *v);

#endif
