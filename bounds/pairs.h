/* What functions of two numbers pass on of the errors of their operands. */
#ifndef TG_BOUNDS_PAIRS_H
#define TG_BOUNDS_PAIRS_H

#include "bounds/impl.h"

tg_value_id tg_bound_of_pow(tg_bound *b, tg_value_id x, tg_value_id y);
tg_value_id tg_bound_of_atan2(tg_bound *b, tg_value_id y, tg_value_id x);
tg_value_id tg_bound_of_rem(tg_bound *b, tg_value_id x, tg_value_id y);

#endif
