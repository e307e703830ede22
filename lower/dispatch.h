/* Which function lowers which op: the columns `lower` and `triton` of ir/ops.def. */
#ifndef TG_LOWER_DISPATCH_H
#define TG_LOWER_DISPATCH_H

#include "lower/impl.h"

/* The functions of a dialect, by opcode. */
tg_lower_fn *const *tg_lower_table(tg_dialect dialect);

#endif
