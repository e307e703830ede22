/* The tables of lowering functions: the columns `lower` and `triton` of ir/ops.def. */
#ifndef TG_LOWER_DISPATCH_H
#define TG_LOWER_DISPATCH_H

#include "lower/impl.h"

/* Returns the functions of a dialect, indexed by opcode. */
tg_lower_fn *const *tg_lower_table(tg_dialect dialect);

#endif
