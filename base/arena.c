#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/align.h"

enum { ALIGN = 16, BLOCK_BYTES = 16 * 1024 };

typedef struct tg_arena_block {
    struct tg_arena_block *below;
    size_t capacity;
    _Alignas(ALIGN) unsigned char data[];
} tg_arena_block;

static int grow(tg_arena *arena, size_t bytes)
{
    size_t capacity = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    tg_arena_block *block = malloc(sizeof *block + capacity);
    if (!block) return 0;
    block->below = arena->top;
    block->capacity = capacity;
    arena->top = block;
    arena->used = 0;
    return 1;
}

void *tg_arena_take(tg_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 2) / size) return NULL;
    size_t bytes = tg_align_up(count * size, ALIGN);
    if (!arena->top || bytes > arena->top->capacity - arena->used)
        if (!grow(arena, bytes)) return NULL;
    void *object = arena->top->data + arena->used;
    arena->used += bytes;
    return memset(object, 0, bytes);
}

void *tg_arena_copy(tg_arena *arena, const void *data, size_t bytes)
{
    void *copy = tg_arena_take(arena, bytes, 1);
    return copy && bytes ? memcpy(copy, data, bytes) : copy;
}

char *tg_arena_text(tg_arena *arena, const char *text)
{
    return tg_arena_copy(arena, text, strlen(text) + 1);
}

void tg_arena_free(tg_arena *arena)
{
    while (arena->top) {
        tg_arena_block *below = arena->top->below;
        free(arena->top);
        arena->top = below;
    }
    arena->used = 0;
}
