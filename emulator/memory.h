/* Device memory: allocations behind device addresses, which are not host pointers. */
#ifndef TG_EMULATOR_MEMORY_H
#define TG_EMULATOR_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tg_emu_memory tg_emu_memory;

tg_emu_memory *tg_emu_memory_new(void); /* NULL if memory runs out */
void tg_emu_memory_free(tg_emu_memory *memory);

/* Allocates `bytes` zeroed bytes and returns their device address; 0 if memory runs out.
 * `alignment` is a power of two.  The address is an odd multiple of it, so that it is never aligned
 * better than promised.  `name` (NULL: none) is copied, for diagnoses. */
uint64_t tg_emu_alloc(tg_emu_memory *memory, size_t bytes, size_t alignment, const char *name);

/* Frees an allocation of tg_emu_alloc; later accesses to it trap.  Returns false if `address` is
 * not that of an allocation. */
bool tg_emu_release(tg_emu_memory *memory, uint64_t address);

/* The host memory behind a device address, for copies in and out; NULL if the `bytes` bytes do not
 * all lie within one allocation. */
void *tg_emu_host(tg_emu_memory *memory, uint64_t address, size_t bytes);

#endif
