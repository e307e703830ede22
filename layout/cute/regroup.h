/* What divisions and products share: by-mode tilers, and pairs of modes gathered. */
#ifndef TG_LAYOUT_CUTE_REGROUP_H
#define TG_LAYOUT_CUTE_REGROUP_H

#include "layout/cute/tiler.h"

/* An operation of two layouts, whose result has two modes. */
typedef tg_status tg_pairing(const tg_cute *a, const tg_cute *b, tg_cute *out, tg_diags *diags);

/* The operation at each layout of the tiler; what the tiler leaves out stays. */
tg_status tg_cute_pair(const tg_cute *a, const tg_tiler *b, tg_pairing *pair, tg_cute *out,
                       tg_diags *diags);

/* The same, then all first modes as mode 0, all second modes and what is beyond the tiler as mode 1.  What
 * the tiler leaves out is 1:0 in mode 0. */
tg_status tg_cute_pair_zipped(const tg_cute *a, const tg_tiler *b, tg_pairing *pair, tg_cute *out,
                              tg_diags *diags);

/* The modes of mode 1, after mode 0 as one; or, if `both`, after the modes of mode 0. */
tg_status tg_cute_unzip(tg_cute *zipped, bool both, tg_diags *diags);

#endif
