/* Growing lists on the heap. */
#ifndef TG_BASE_LIST_H
#define TG_BASE_LIST_H

#include <stddef.h>

/* Makes room for one more element in a list of `count` elements of `size` bytes.  Returns the list,
 * which may have moved, and sets `*room` to the number of elements that it has room for.  Returns
 * NULL if memory runs out; the list is then unchanged. */
void *tg_list_grow(void *list, size_t count, size_t *room, size_t size);

#endif
