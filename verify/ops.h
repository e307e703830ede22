/* Checks regions, and for each op the rules of ops.def: counts, attributes, references, types. */
#ifndef TG_VERIFY_OPS_H
#define TG_VERIFY_OPS_H

#include "verify/impl.h"

/* Checks all ops of `region`, which is at the path v->at, and those in nested regions. */
void tg_verify_region(const tg_verifier *v, const tg_region *region);

#endif
