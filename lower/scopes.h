/* Lowers regions with scoped memory. */
#ifndef TG_LOWER_SCOPES_H
#define TG_LOWER_SCOPES_H

#include "lower/impl.h"

void tg_lower_op_scoped(tg_lowerer *l, const tg_op *op);

#endif
