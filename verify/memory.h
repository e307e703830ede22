/* What rules of ops on memory share with others. */
#ifndef TG_VERIFY_MEMORY_H
#define TG_VERIFY_MEMORY_H

#include "verify/common.h"

/* Checks that the attribute `kind` suits the elements of the operand, which it combines. */
void tg_verify_combined(const tg_verifier *v, uint32_t operand);

#endif
