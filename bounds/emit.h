/* The ops that bounds are made of. */
#ifndef TG_BOUNDS_EMIT_H
#define TG_BOUNDS_EMIT_H

#include "bounds/impl.h"

/* Notes that no bound can be derived, and why, at the op looked at. */
void tg_bound_refuse(tg_bound *b, const char *why);

/* The shape of a value or reference in f64: the type of its companion. */
tg_type tg_bound_type(const tg_bound *b, tg_value_id like);

/* The op looked at on another operand or two; gives f64. */
tg_value_id tg_bound_again(tg_bound *b, tg_opcode code, const tg_value_id *in, int count);

/* Arithmetic on values of one shape, in f64.  tg_bound_where_zero: 0 where `tested` is. */
tg_value_id tg_bound_number(tg_bound *b, tg_value_id like, double value);
tg_value_id tg_bound_scaled(tg_bound *b, tg_value_id a, double factor);
tg_value_id tg_bound_where_zero(tg_bound *b, tg_value_id tested, tg_value_id otherwise);

/* The value in f64, and its bound: the companion, or zeros. */
tg_value_id tg_bound_real(tg_bound *b, tg_value_id v);
tg_value_id tg_bound_of(tg_bound *b, tg_value_id v);

#endif
