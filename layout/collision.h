/* Two lanes whose words shared memory cannot give in one wavefront: the witness of a conflict. */
#ifndef TG_LAYOUT_COLLISION_H
#define TG_LAYOUT_COLLISION_H

#include <stdbool.h>

#include "layout/conflicts.h"

typedef struct tg_collision {
    int lane[2];
    int64_t byte[2]; /* where the words, or what the lanes want of them, begin */
    int bank;        /* of both */
} tg_collision;

/* The first two lanes of a phase that want different words of one bank; false if there are none,
 * thus if the access, of up to 16 bytes a lane, takes as few wavefronts as it can. */
bool tg_collision_find(const tg_warp_access *access, tg_collision *out);

#endif
