/* Emits the ops that bounds consist of. */
#ifndef TG_BOUNDS_EMIT_H
#define TG_BOUNDS_EMIT_H

#include "bounds/share.h"

/* Records that no bound can be derived at the current op, and why. */
void tg_bound_refuse(tg_bound *b, const char *why);

/* Returns the shape of a value or reference, in f64, or of a bool in bool: the type of its
 * companions. */
tg_type tg_bound_type(const tg_bound *b, tg_value_id like);

/* Emits the current op on one or two other operands; the result is in f64. */
tg_value_id tg_bound_again(tg_bound *b, tg_opcode code, const tg_value_id *in, int count);

/* Arithmetic on values of one shape, in f64.  tg_bound_compare: with a number.  tg_bound_where_zero:
 * 0 where `tested` is 0, `otherwise` elsewhere. */
tg_value_id tg_bound_number(tg_bound *b, tg_value_id like, double value);
tg_value_id tg_bound_scaled(tg_bound *b, tg_value_id a, double factor);
tg_value_id tg_bound_plus_number(tg_bound *b, tg_value_id a, double value);
tg_value_id tg_bound_compare(tg_bound *b, tg_opcode code, tg_value_id a, double value);
tg_value_id tg_bound_where_zero(tg_bound *b, tg_value_id tested, tg_value_id otherwise);

/* Returns `most`, a bound that holds however far off an operand is, or infinity where the operand's
 * bound `e` is infinite: it may be NaN there. */
tg_value_id tg_bound_unless_nan(tg_bound *b, tg_value_id most, tg_value_id e);

/* Returns what a value is in exact arithmetic, in f64: the companion, or the value.  Without a
 * contract, bounds are about the value itself. */
tg_value_id tg_bound_real(tg_bound *b, tg_value_id v);

/* Returns the bound of a value; TG_NO_BOUND if it is exact, which the functions for bounds take for
 * zeros. */
static inline tg_value_id tg_bound_of(const tg_bound *b, tg_value_id v)
{
    return b->companion[TG_COMPANION_BOUND][v];
}

/* Returns a bound in the shape of `like`, with zeros for TG_NO_BOUND. */
tg_value_id tg_bound_solid(tg_bound *b, tg_value_id bound, tg_value_id like);

/* Returns one of the two companions; of an exact value, itself and zeros. */
tg_value_id tg_bound_companion(tg_bound *b, tg_companion which, tg_value_id v);

/* Returns a scalar in the shape of `like`; any other value as it is. */
tg_value_id tg_bound_spread(tg_bound *b, tg_value_id scalar, tg_value_id like);

/* Returns whether all elements of a bool are true: a scalar. */
tg_value_id tg_bound_all(tg_bound *b, tg_value_id flags);

/* Makes the kernel check that no element of a bool, or of a comparison, may be otherwise; from here
 * to the end of the region the bool has no companion.  Does nothing for a value that has none. */
void tg_bound_settle(tg_bound *b, tg_value_id v);

/* Gives back the companions of what was settled since settled_count was `mark`: a region whose
 * checks settled it has ended, and may not have run. */
void tg_bound_unsettle(tg_bound *b, uint32_t mark);

#endif
