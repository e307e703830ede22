/* Coalescing: the fewest modes for the same map.  (media/docs/cpp/cute/02_layout_algebra.md, "Coalesce") */
#ifndef TG_LAYOUT_CUTE_COALESCE_H
#define TG_LAYOUT_CUTE_COALESCE_H

#include "layout/cute/layout.h"

/* The same map within the size, as one mode or a tuple of modes of which no two neighbours can be one;
 * 1:0 if no mode is left. */
void tg_cute_coalesce(const tg_cute *cute, tg_cute *out);

/* Coalesces the modes that stand at the integers of the profile, each for itself, so that coordinates of
 * these modes stay; modes beyond the profile are left as they are.  TG_ERR_INVALID if a tuple of the
 * profile has more elements than the mode it stands for. */
tg_status tg_cute_coalesce_by(const tg_cute *cute, const tg_tuple *profile, tg_cute *out,
                              tg_diags *diags);

#endif
