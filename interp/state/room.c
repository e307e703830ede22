#include "interp/state/room.h"

#include <stdlib.h>

enum { ALIGN = 64 };

/* What did not fit into the memory of the room. */
typedef struct piece {
    struct piece *next;
    _Alignas(ALIGN) unsigned char memory[];
} piece;

struct tg_room {
    unsigned char *memory;
    size_t bytes, used; /* `used` counts what did not fit as well */
    piece *pieces;
};

static void destroy(tg_room *room)
{
    if (!room) return;
    free(room->memory);
    free(room);
}

tg_room *tg_room_enter(tg_launch *launch)
{
    tg_room *room = __atomic_exchange_n(&launch->room, NULL, __ATOMIC_ACQUIRE);
    return room ? room : calloc(1, sizeof *room);
}

void *tg_room_take(tg_room *room, size_t bytes)
{
    if (bytes > SIZE_MAX / 4 || room->used > SIZE_MAX / 4) return NULL;
    const size_t size = (bytes + ALIGN - 1) / ALIGN * ALIGN, at = room->used;
    if (at + size <= room->bytes) {
        room->used += size;
        return room->memory + at;
    }
    piece *more = aligned_alloc(ALIGN, sizeof *more + size);
    if (!more) return NULL;
    more->next = room->pieces;
    room->pieces = more;
    room->used += size;
    return more->memory;
}

/* Makes the memory large enough for all that was taken.  If memory runs out, the next op takes pieces
 * again. */
static void grow(tg_room *room)
{
    for (piece *p = room->pieces, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    room->pieces = NULL;
    free(room->memory);
    room->memory = aligned_alloc(ALIGN, room->used);
    room->bytes = room->memory ? room->used : 0;
}

void tg_room_leave(tg_launch *launch, tg_room *room)
{
    tg_room *none = NULL;
    if (!room) return;
    if (room->pieces) grow(room);
    room->used = 0;
    if (!__atomic_compare_exchange_n(&launch->room, &none, room, false, __ATOMIC_RELEASE,
                                     __ATOMIC_RELAXED))
        destroy(room);
}

void tg_room_free(tg_launch *launch)
{
    destroy(launch->room);
    launch->room = NULL;
}
