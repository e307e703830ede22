/* Regions, and what ops.def says of every op: counts, attributes, references, the rule. */
#ifndef TG_VERIFY_OPS_H
#define TG_VERIFY_OPS_H

#include "verify/impl.h"

/* Checks all ops of `region`, which lies at v->at, and those in the regions inside. */
void tg_verify_region(const tg_verifier *v, const tg_region *region);

#endif
