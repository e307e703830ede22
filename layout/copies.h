/* The copies of an element along one axis: the set of sums of R's digits. */
#ifndef TG_LAYOUT_COPIES_H
#define TG_LAYOUT_COPIES_H

#include "layout/axe.h"

typedef struct tg_copies {
    int64_t *at; /* ascending, each once */
    size_t count;
} tg_copies;

/* Of R on an axis, with 0 for digits of 0.  TG_ERR_UNSUPPORTED if there are more than
 * TG_AXE_MOST_POINTS, or TG_ERR_NO_MEMORY.  The caller frees the list. */
tg_status tg_copies_on(const tg_axe *axe, tg_axis axis, tg_copies *out, tg_diags *diags);
void tg_copies_free(tg_copies *copies);

bool tg_copies_same(const tg_copies *a, const tg_copies *b);

#endif
