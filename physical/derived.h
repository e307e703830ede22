/* Layouts of results that follow from those of the operands. */
#ifndef TG_PHYSICAL_DERIVED_H
#define TG_PHYSICAL_DERIVED_H

#include "physical/held.h"

/* Whether elements of the result of an op are where those of its operands with their indices are. */
bool tg_derived_in_place(tg_opcode code);

/* Whether each element of the result of an op is one element of its only operand, at another index: such an
 * op does nothing in registers if its result has the layout that follows. */
bool tg_derived_renamed(tg_opcode code);

/* The layout of an op's results that follows from those of its operands, whatever the kernel says of
 * it; it lives as long as `held`.  NULL: none does, or memory ran out; where the op only renames elements, `diags`, unless it is NULL,
 * gets the reason. */
const tg_axe *tg_derived(tg_held *held, const tg_op *op, tg_diags *diags);

#endif
