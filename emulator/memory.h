/* Device memory: allocations behind addresses that are no pointers. */
#ifndef TG_EMULATOR_MEMORY_H
#define TG_EMULATOR_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tg_emu_memory tg_emu_memory;

tg_emu_memory *tg_emu_memory_new(void); /* NULL without memory */
void tg_emu_memory_free(tg_emu_memory *memory);

/* A device address for `bytes` zeroed bytes; 0 without memory.  `alignment` is a power of two, and no more than it is
 * promised: the address is an odd multiple of it.  `name` (NULL: none) is copied for diagnoses. */
uint64_t tg_emu_alloc(tg_emu_memory *memory, size_t bytes, size_t alignment, const char *name);

/* Frees what tg_emu_alloc gave; later accesses trap.  False where `address` is no such address. */
bool tg_emu_release(tg_emu_memory *memory, uint64_t address);

/* The bytes behind a device address, for copies in and out; NULL where not all `bytes` lie within one allocation. */
void *tg_emu_host(tg_emu_memory *memory, uint64_t address, size_t bytes);

#endif
