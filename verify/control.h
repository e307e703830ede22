/* Rules of the grid, of control flow, and of ops that print or report; see verify/rules.h for when
 * they are called. */
#ifndef TG_VERIFY_CONTROL_H
#define TG_VERIFY_CONTROL_H

#include "verify/impl.h"

void tg_verify_op_program_id(const tg_verifier *v);
void tg_verify_op_num_programs(const tg_verifier *v);
void tg_verify_op_for(const tg_verifier *v);
void tg_verify_op_while(const tg_verifier *v);
void tg_verify_op_switch(const tg_verifier *v);
void tg_verify_op_scoped(const tg_verifier *v);
void tg_verify_op_debug_print(const tg_verifier *v);
void tg_verify_op_check(const tg_verifier *v);

#endif
