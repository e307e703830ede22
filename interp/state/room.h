/* Room: memory for the blocks that an op needs while it takes place.  It is taken piece by piece, and
 * left as a whole.  The launch keeps it for the next op, so that only the first one waits for pages. */
#ifndef TG_INTERP_STATE_ROOM_H
#define TG_INTERP_STATE_ROOM_H

#include "interp/state/launch.h"

typedef struct tg_room tg_room;

/* Returns an empty room, which is the caller's until it leaves it; NULL if memory runs out.  Threads get
 * rooms of their own. */
tg_room *tg_room_enter(tg_launch *launch);

/* Returns `bytes` bytes, aligned to 64, that last until the room is left; NULL if memory runs out.  They
 * are not cleared. */
void *tg_room_take(tg_room *room, size_t bytes);

/* `room` may be NULL. */
void tg_room_leave(tg_launch *launch, tg_room *room);

/* Frees the room that the launch keeps. */
void tg_room_free(tg_launch *launch);

#endif
