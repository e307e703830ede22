#include "gpu_backend/device/gpu_memory.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    GUARD = 4096, /* bytes on each side; a multiple of ALIGN */
    ALIGN = 256   /* the driver's alignment, and ours */
};

struct tg_gpu_block {
    tg_gpu_block *next;
    uint64_t base, address; /* of the whole allocation, and of the requested bytes */
    size_t bytes, rear;     /* requested bytes; bytes of the rear guard, padded up to ALIGN */
    char name[80];
};

/* Byte i of a guard, counted from its lowest address.  Neighbouring bytes differ, so that no fill
 * with one value can look the same. */
static uint8_t pattern(size_t i) { return (uint8_t)(0xa7 ^ i * 37 ^ (i >> 8) * 11); }

static tg_status send_guard(tg_gpu *gpu, uint64_t to, size_t bytes, tg_diags *diags)
{
    uint8_t guard[GUARD + ALIGN];
    for (size_t i = 0; i < bytes; i++) guard[i] = pattern(i);
    return tg_gpu_write(gpu, to, guard, bytes, diags);
}

static void drop(tg_gpu *gpu, tg_gpu_block *block)
{
    /* In a broken context this call fails too; that adds no information. */
    gpu->driver->release(block->base);
    free(block);
}

static tg_status guard_it(tg_gpu *gpu, const tg_gpu_block *block, tg_diags *diags)
{
    TG_TRY(send_guard(gpu, block->base, GUARD, diags));
    return send_guard(gpu, block->address + block->bytes, block->rear, diags);
}

tg_status tg_gpu_take(tg_gpu *gpu, tg_gpu_memory *memory, size_t bytes, const char *name,
                      uint64_t *address, tg_diags *diags)
{
    char doing[160];
    *address = 0;
    if (bytes == 0) bytes = 1;
    tg_gpu_block *block = calloc(1, sizeof *block);
    if (!block) return tg_no_memory(diags);
    snprintf(block->name, sizeof block->name, "%s", name);
    snprintf(doing, sizeof doing, "taking %zu bytes on the GPU for %s", bytes, block->name);
    block->bytes = bytes;
    block->rear = GUARD + (ALIGN - bytes % ALIGN) % ALIGN;
    const int code = bytes < SIZE_MAX - 3 * GUARD
                         ? gpu->driver->alloc(&block->base, GUARD + bytes + block->rear)
                         : TG_CUDA_ERROR_OUT_OF_MEMORY;
    if (code) {
        free(block);
        return tg_gpu_check(gpu, code, doing, "cuMemAlloc_v2", diags);
    }
    block->address = block->base + GUARD;
    const tg_status status = guard_it(gpu, block, diags);
    if (status != TG_OK) {
        drop(gpu, block);
        return status;
    }
    block->next = memory->blocks;
    memory->blocks = block;
    *address = block->address;
    return TG_OK;
}

void tg_gpu_give_back(tg_gpu *gpu, tg_gpu_memory *memory, uint64_t address)
{
    for (tg_gpu_block **at = &memory->blocks; *at; at = &(*at)->next) {
        tg_gpu_block *const block = *at;
        if (block->address != address) continue;
        *at = block->next;
        drop(gpu, block);
        return;
    }
}

void tg_gpu_give_back_all(tg_gpu *gpu, tg_gpu_memory *memory)
{
    while (memory->blocks) {
        tg_gpu_block *const block = memory->blocks;
        memory->blocks = block->next;
        drop(gpu, block);
    }
}

bool tg_gpu_holds(const tg_gpu_memory *memory, uint64_t address, size_t bytes)
{
    for (const tg_gpu_block *b = memory->blocks; b; b = b->next)
        if (address >= b->address && address - b->address <= b->bytes &&
            bytes <= b->bytes - (address - b->address))
            return true;
    return false;
}

/* ---- checking the guards ---- */

/* The bytes of a guard that have changed. */
typedef struct damage {
    size_t count, first, last; /* positions in the guard */
} damage;

static damage find_damage(const uint8_t *guard, size_t bytes)
{
    damage d = {0};
    for (size_t i = 0; i < bytes; i++) {
        if (guard[i] == pattern(i)) continue;
        if (d.count++ == 0) d.first = i;
        d.last = i;
    }
    return d;
}

/* `nearest` and `farthest` are distances: 1 is the byte next to the array. */
static tg_status tell(const tg_gpu_block *block, size_t count, size_t nearest, size_t farthest,
                      const char *side, tg_diags *diags)
{
    return tg_fail(
        diags, TG_ERR_INTERNAL, NULL,
        "the kernel wrote outside the memory of %s, which has %zu bytes: %zu changed that "
        "lie %zu to %zu bytes %s",
        block->name, block->bytes, count, nearest, farthest, side);
}

static tg_status check_block(tg_gpu *gpu, const tg_gpu_block *block, tg_diags *diags)
{
    uint8_t guard[GUARD + ALIGN];
    TG_TRY(tg_gpu_read(gpu, guard, block->base, GUARD, diags));
    const damage front = find_damage(guard, GUARD);
    TG_TRY(tg_gpu_read(gpu, guard, block->address + block->bytes, block->rear, diags));
    const damage rear = find_damage(guard, block->rear);
    if (!front.count && !rear.count) return TG_OK;
    TG_TRY(guard_it(gpu, block, diags));
    if (front.count)
        tell(block, front.count, GUARD - front.last, GUARD - front.first, "before its start",
             diags);
    if (rear.count) tell(block, rear.count, rear.first + 1, rear.last + 1, "past its end", diags);
    return TG_ERR_INTERNAL;
}

tg_status tg_gpu_check_guards(tg_gpu *gpu, const tg_gpu_memory *memory, tg_diags *diags)
{
    tg_status worst = TG_OK;
    for (const tg_gpu_block *b = memory->blocks; b; b = b->next) {
        const tg_status status = check_block(gpu, b, diags);
        if (worst == TG_OK) worst = status;
        if (gpu->broken) return worst;
    }
    return worst;
}
