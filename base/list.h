/* Lists on the heap that grow. */
#ifndef TG_BASE_LIST_H
#define TG_BASE_LIST_H

#include <stddef.h>

/* Sees to it that a list of `count` elements of `size` bytes has room for one more: returns where the list is now, with `*room`
 * for how many elements.  NULL without memory; the list then is where it was, and as it was. */
void *tg_list_grow(void *list, size_t count, size_t *room, size_t size);

#endif
