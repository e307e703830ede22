/* An arena: objects are allocated one by one and freed all at once. */
#ifndef TG_BASE_ARENA_H
#define TG_BASE_ARENA_H

#include <stddef.h>

typedef struct tg_arena {
    struct tg_arena_block *top; /* newest block first; NULL in a fresh arena */
    size_t used;                /* bytes taken from the newest block */
} tg_arena;

/* Allocates `count` zeroed objects of `size` bytes, aligned for any type.  Returns NULL if memory
 * runs out or the product overflows; the arena stays valid.  A count or size of 0 gives a valid
 * empty object. */
void *tg_arena_take(tg_arena *arena, size_t count, size_t size);

/* Returns a copy of `text`, or NULL if memory runs out. */
char *tg_arena_text(tg_arena *arena, const char *text);

/* Returns a copy of `bytes` bytes of `data`, or NULL if memory runs out. */
void *tg_arena_copy(tg_arena *arena, const void *data, size_t bytes);

/* Frees all objects.  The arena is empty and can be used again. */
void tg_arena_free(tg_arena *arena);

#endif
