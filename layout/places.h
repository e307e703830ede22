/* The places of one element: its set of hardware coordinates. */
#ifndef TG_LAYOUT_PLACES_H
#define TG_LAYOUT_PLACES_H

#include "layout/map.h"

typedef struct tg_places {
    tg_coordinate *list; /* ascending, each once */
    size_t count;
} tg_places;

/* Less than, equal to or more than 0, as memcmp: by the first axis that differs. */
int tg_coordinate_compare(const tg_coordinate *a, const tg_coordinate *b);

/* The places of element x, 0 <= x < size of D, in a list that has room for all copies: returns how many
 * they are. */
size_t tg_places_fill(const tg_axe *axe, int64_t x, tg_coordinate *list);

/* TG_ERR_UNSUPPORTED for more copies than TG_AXE_MOST_POINTS, or TG_ERR_NO_MEMORY.  The caller frees
 * the list. */
tg_status tg_places_of(const tg_axe *axe, int64_t x, tg_places *out, tg_diags *diags);

#endif
