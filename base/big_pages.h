/* Advice to the system about large pieces of memory. */
#ifndef TG_BASE_BIG_PAGES_H
#define TG_BASE_BIG_PAGES_H

#include <stddef.h>

/* Asks for huge pages under `bytes` bytes at `memory` if they are many; the contents stay.  Where
 * the system has no huge pages, or does not give them, nothing happens. */
void tg_advise_big_pages(void *memory, size_t bytes);

#endif
