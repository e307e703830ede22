/* Rounds sizes and offsets up to an alignment. */
#ifndef TG_BASE_ALIGN_H
#define TG_BASE_ALIGN_H

#include <stddef.h>

/* The least multiple of `alignment` (a power of two) that is at least `bytes`. */
static inline size_t tg_align_up(size_t bytes, size_t alignment)
{
    return (bytes + alignment - 1) & ~(alignment - 1);
}

#endif
