/* Index arrays whose positions are evenly spaced, as `start + row * width + column` gives them: the
 * access is then a box of memory, and works on whole rows instead of element by element.
 *
 * Positions are looked at when the access runs, whatever they were computed from, so that no
 * arithmetic of theirs can be misjudged. */
#ifndef TG_INTERP_MEMORY_SPACED_H
#define TG_INTERP_MEMORY_SPACED_H

#include "interp/memory/box.h"

/* Returns whether an access with one index array by a one-dimensional ref is a box: its elements are
 * inside the array, evenly spaced along each dimension of the result, and no element occurs twice.
 * Elements that the mask turns off may be anywhere, if they are not between others.  Sets `box`,
 * which is inside and legal; low and high enclose what the mask turns on. */
bool tg_access_is_spaced(const tg_machine *m, const tg_access_plan *a, tg_box *box);

#endif
