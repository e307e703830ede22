/* Operands of products of matrices that are rounded before they are multiplied. */
#ifndef TG_BOUNDS_OPERANDS_H
#define TG_BOUNDS_OPERANDS_H

#include "bounds/impl.h"

/* Gives the two operands of the current op, a product of matrices, the bounds that they have once
 * the contract has rounded them; `kept` gets those that they had. */
void tg_bound_round_operands(tg_bound *b, tg_value_id kept[2]);

/* Gives the operands back the bounds that they had. */
void tg_bound_restore_operands(tg_bound *b, const tg_value_id kept[2]);

#endif
