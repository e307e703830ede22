/* Rules of ops on refs; see verify/rules.h for when they are called. */
#ifndef TG_VERIFY_MEMORY_H
#define TG_VERIFY_MEMORY_H

#include "verify/impl.h"

void tg_verify_op_view(const tg_verifier *v);
void tg_verify_op_view_transpose(const tg_verifier *v);
void tg_verify_op_view_reshape(const tg_verifier *v);
void tg_verify_op_view_bitcast(const tg_verifier *v);
void tg_verify_op_view_part(const tg_verifier *v);
void tg_verify_op_alloc(const tg_verifier *v);
void tg_verify_op_load(const tg_verifier *v);
void tg_verify_op_store(const tg_verifier *v);
void tg_verify_op_swap(const tg_verifier *v);
void tg_verify_op_add_update(const tg_verifier *v);
void tg_verify_op_atomic_rmw(const tg_verifier *v);
void tg_verify_op_atomic_cas(const tg_verifier *v);

#endif
