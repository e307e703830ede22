/* Bitcasts: the bits of a value read as another dtype. */
#ifndef TG_INTERP_EXEC_BITCAST_H
#define TG_INTERP_EXEC_BITCAST_H

#include "plan/inst.h"

/* Bytes that the instruction needs at m->extra. */
size_t tg_bitcast_workspace(const struct tg_inst_bitcast *cast);

#endif
