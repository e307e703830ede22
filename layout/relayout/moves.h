/* How far each value must move to be where another layout wants it. */
#ifndef TG_LAYOUT_RELAYOUT_MOVES_H
#define TG_LAYOUT_RELAYOUT_MOVES_H

#include "layout/places.h"

/* From near to far. */
typedef enum tg_reach {
    TG_REACH_NONE,   /* is there */
    TG_REACH_THREAD, /* the same thread has it, in another register or at another address */
    TG_REACH_WARP,   /* another lane of the warp */
    TG_REACH_BLOCK,  /* another warp of the block */
    TG_REACH_GRID,   /* another block on the device */
    TG_REACH_MESH,   /* another device */
    TG_REACH_COUNT
} tg_reach;

/* A place that wants a value, and the nearest place that has it. */
typedef struct tg_move {
    int64_t element;
    tg_coordinate from, to;
    tg_reach reach;
} tg_move;

typedef struct tg_moves {
    tg_move *list; /* one for each place of each element in the target, by element, then place */
    size_t count;
    size_t by_reach[TG_REACH_COUNT];
    tg_reach furthest;
    bool has_choice; /* some element is at more than one place in the source */
} tg_moves;

/* Of two layouts of the same logical array.  Among sources equally near, the first.
 *
 * TG_ERR_INVALID for layouts of different sizes, or if one is in other axes of memory than the
 * other (registers here, addresses there): that is a load or a store.  TG_ERR_UNSUPPORTED if there
 * are more than 2^20 places in either, or TG_ERR_NO_MEMORY.  The caller ends with tg_moves_free. */
tg_status tg_moves_between(const tg_axe *from, const tg_axe *to, tg_moves *out, tg_diags *diags);
void tg_moves_free(tg_moves *moves);

#endif
