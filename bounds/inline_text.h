/* PTX text in an op: nothing outside it says how far its results may be off. */
#ifndef TG_BOUNDS_INLINE_TEXT_H
#define TG_BOUNDS_INLINE_TEXT_H

#include "bounds/impl.h"

/* Returns whether an op is text whose results may be off even if its operands are not: it has an
 * instruction that another GPU may compute otherwise, or, with a contract, a result of a float, as what
 * the text computes in exact arithmetic is not known. */
bool tg_bound_is_off_text(tg_bound *b, const tg_op *op);

/* Refuses the current op, which is such a text, and says why. */
void tg_bound_refuse_text(tg_bound *b);

#endif
