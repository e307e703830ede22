/* One lifetime, one arena: objects are taken one by one and die together. */
#ifndef TG_BASE_ARENA_H
#define TG_BASE_ARENA_H

#include <stddef.h>

typedef struct tg_arena {
    struct tg_arena_block *top; /* newest block first; NULL in a fresh arena */
    size_t used;                /* bytes taken from the newest block */
} tg_arena;

/* `count` zeroed objects of `size` bytes, aligned for any type.  NULL when memory is exhausted or the
 * product overflows; the arena stays valid.  A count or size of 0 gives a valid empty object. */
void *tg_arena_take(tg_arena *arena, size_t count, size_t size);

/* A copy of `text`, or NULL. */
char *tg_arena_text(tg_arena *arena, const char *text);

/* A copy of `bytes` bytes, or NULL. */
void *tg_arena_copy(tg_arena *arena, const void *data, size_t bytes);

/* Frees everything ever taken; the arena is as new. */
void tg_arena_free(tg_arena *arena);

#endif
