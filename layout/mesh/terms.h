/* Reductions before the other steps of a plan. */
#ifndef TG_LAYOUT_MESH_TERMS_H
#define TG_LAYOUT_MESH_TERMS_H

#include "layout/mesh/collective.h"

/* Adds steps that reduce `reduced`, some unreduced parts of `from`; then `steps`, which begin at
 * `from` without these.  If the first of them is a slice, it is taken apart: a slice by parts that
 * are not reduced goes before the reduction, as it makes less of it; one by reduced parts becomes a
 * reduce-scatter.  TG_ERR_NO_MEMORY. */
tg_status tg_terms_reduce(const tg_sharding *from, const tg_parts *reduced,
                          const tg_collectives *steps, tg_collectives *out, tg_diags *diags);

#endif
