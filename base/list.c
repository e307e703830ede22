#include "base/list.h"

#include <stdint.h>
#include <stdlib.h>

void *tg_list_grow(void *list, size_t count, size_t *room, size_t size)
{
    enum { FIRST_ROOM = 8 };
    if (count < *room) return list;
    const size_t wanted = *room ? 2 * *room : FIRST_ROOM;
    void *const moved = wanted <= SIZE_MAX / 2 / size ? realloc(list, wanted * size) : NULL;
    if (moved) *room = wanted;
    return moved;
}
