/* The ops of companions, each of which is emitted once: the same op on the same operands gives the
 * value that is there already. */
#ifndef TG_BOUNDS_SHARE_H
#define TG_BOUNDS_SHARE_H

#include "bounds/impl.h"

/* As the functions tg_build_... of the same names. */
tg_value_id tg_bound_1(tg_bound *b, tg_opcode code, tg_value_id x);
tg_value_id tg_bound_2(tg_bound *b, tg_opcode code, tg_value_id x, tg_value_id y);
tg_value_id tg_bound_select(tg_bound *b, tg_value_id which, tg_value_id first, tg_value_id second);
tg_value_id tg_bound_convert(tg_bound *b, tg_value_id x, tg_dtype dtype);
tg_value_id tg_bound_constant(tg_bound *b, const tg_type *type, double number);

/* Emits an op with the attributes of the current op, on at most three operands. */
tg_value_id tg_bound_like(tg_bound *b, tg_opcode code, const tg_value_id *in, int count,
                          const tg_type *type);

/* Forgets the ops since shared_count was `mark`: those of a region that has ended. */
void tg_bound_forget(tg_bound *b, size_t mark);

#endif
