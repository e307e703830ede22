/* The instruction that the source means: which ops may name which. */
#ifndef TG_VERIFY_INSTRUCTION_H
#define TG_VERIFY_INSTRUCTION_H

#include "verify/impl.h"

/* Checks the attribute `instruction` of v->op, if it has one, once the op's own rule is checked. */
void tg_verify_instruction(const tg_verifier *v);

#endif
