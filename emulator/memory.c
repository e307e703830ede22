/* Device memory: allocations behind device addresses, which are not host pointers. */
#include "emulator/memory.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/memory_impl.h"

tg_emu_memory *tg_emu_memory_new(void)
{
    tg_emu_memory *memory = calloc(1, sizeof *memory);
    if (memory) memory->count = 1; /* index 0 is unused */
    return memory;
}

static void free_block(tg_emu_block *block)
{
    free(block->data);
    tg_emu_shadow_free(&block->shadow);
    block->data = NULL;
    block->is_freed = true;
}

void tg_emu_memory_free(tg_emu_memory *memory)
{
    if (!memory) return;
    for (size_t i = 1; i < memory->count; i++) {
        free_block(&memory->blocks[i]);
        free(memory->blocks[i].name);
    }
    free(memory->blocks);
    free(memory);
}

static bool grow(tg_emu_memory *memory)
{
    if (memory->count < memory->capacity) return true;
    size_t capacity = memory->capacity ? 2 * memory->capacity : 16;
    tg_emu_block *wider = realloc(memory->blocks, capacity * sizeof *wider);
    if (!wider) return false;
    if (!memory->blocks) wider[0] = (tg_emu_block){0};
    memory->blocks = wider;
    memory->capacity = capacity;
    return true;
}

uint64_t tg_emu_alloc(tg_emu_memory *memory, size_t bytes, size_t alignment, const char *name)
{
    if (alignment == 0 || (alignment & (alignment - 1)) || alignment > TG_EMU_MIDDLE / 4) return 0;
    if (bytes > TG_EMU_MIDDLE / 2 || memory->count == TG_EMU_SHARED_WINDOW >> TG_EMU_BLOCK_BITS ||
        !grow(memory))
        return 0;
    char *copy = name ? malloc(strlen(name) + 1) : NULL;
    unsigned char *data = calloc(bytes ? bytes : 1, 1);
    if (!data || (name && !copy)) {
        free(data);
        free(copy);
        return 0;
    }
    if (copy) strcpy(copy, name);
    tg_emu_block *block = &memory->blocks[memory->count];
    *block = (tg_emu_block){.base = ((uint64_t)memory->count << TG_EMU_BLOCK_BITS) + TG_EMU_MIDDLE +
                                    alignment,
                            .bytes = bytes,
                            .data = data,
                            .name = copy,
                            .shadow = {.bytes = bytes}};
    memory->count++;
    return block->base;
}

static tg_emu_block *find(tg_emu_memory *memory, uint64_t address)
{
    uint64_t number = address >> TG_EMU_BLOCK_BITS;
    if (number == 0 || number >= memory->count || memory->blocks[number].is_freed) return NULL;
    return &memory->blocks[number];
}

bool tg_emu_release(tg_emu_memory *memory, uint64_t address)
{
    tg_emu_block *block = find(memory, address);
    if (!block || block->base != address) return false;
    free_block(block);
    return true;
}

void *tg_emu_host(tg_emu_memory *memory, uint64_t address, size_t bytes)
{
    tg_emu_block *block = find(memory, address);
    if (!block || address < block->base || address - block->base > block->bytes) return NULL;
    size_t offset = (size_t)(address - block->base);
    return bytes <= block->bytes - offset ? block->data + offset : NULL;
}
