/* Emits the ops that bounds consist of. */
#ifndef TG_BOUNDS_EMIT_H
#define TG_BOUNDS_EMIT_H

#include "bounds/impl.h"

/* Records that no bound can be derived at the current op, and why. */
void tg_bound_refuse(tg_bound *b, const char *why);

/* Returns the shape of a value or reference, in f64: the type of its companion. */
tg_type tg_bound_type(const tg_bound *b, tg_value_id like);

/* Emits the current op on one or two other operands; the result is in f64. */
tg_value_id tg_bound_again(tg_bound *b, tg_opcode code, const tg_value_id *in, int count);

/* Arithmetic on values of one shape, in f64. tg_bound_where_zero: 0 where `tested` is 0,
 * `otherwise` elsewhere. */
tg_value_id tg_bound_number(tg_bound *b, tg_value_id like, double value);
tg_value_id tg_bound_scaled(tg_bound *b, tg_value_id a, double factor);
tg_value_id tg_bound_where_zero(tg_bound *b, tg_value_id tested, tg_value_id otherwise);

/* Return the value in f64, and its bound: the companion, or zeros. */
tg_value_id tg_bound_real(tg_bound *b, tg_value_id v);
tg_value_id tg_bound_of(tg_bound *b, tg_value_id v);

#endif
