/* Moves within warps as shuffles: in each, every lane offers one of its values, and every lane
 * takes the value of one lane (PTX's shfl.sync.idx). */
#ifndef TG_LAYOUT_RELAYOUT_SHUFFLES_H
#define TG_LAYOUT_RELAYOUT_SHUFFLES_H

#include "layout/relayout/moves.h"

typedef struct tg_shuffles {
    int64_t *round; /* of each move with reach TG_REACH_WARP, from 0; -1 for others */
    int64_t count;  /* shuffles that a warp makes: the most of all warps */
    int64_t least;  /* no plan has fewer: values that a lane takes at the most, or, if each element
                       is at one place only, offers */
} tg_shuffles;

/* The better of two plans: a greedy one, and one of as many shuffles as a lane takes or offers
 * values, each for one lane.  TG_ERR_NO_MEMORY; the caller ends with tg_shuffles_free. */
tg_status tg_shuffles_of(const tg_moves *moves, tg_shuffles *out, tg_diags *diags);
void tg_shuffles_free(tg_shuffles *shuffles);

#endif
