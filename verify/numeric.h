/* Attributes that say how numbers are rounded, and what becomes of NaN. */
#ifndef TG_VERIFY_NUMERIC_H
#define TG_VERIFY_NUMERIC_H

#include "verify/impl.h"

/* Checks the attributes `rounding`, `saturate` and `nan` of v->op against its dtypes, once the op's
 * own rule is checked. */
void tg_verify_numeric(const tg_verifier *v);

#endif
