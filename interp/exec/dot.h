/* Products of blocks. */
#ifndef TG_INTERP_EXEC_DOT_H
#define TG_INTERP_EXEC_DOT_H

#include "interp/blocks/dot.h"
#include "plan/inst.h"

/* The shape of a dot of operands in the given storage. */
tg_dot_shape tg_dot_shape_of(const struct tg_inst_dot *dot, int lhs, int rhs);

#endif
