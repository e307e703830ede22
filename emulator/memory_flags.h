/* The flags of memory instructions. */
#ifndef TG_EMULATOR_MEMORY_FLAGS_H
#define TG_EMULATOR_MEMORY_FLAGS_H

#include "emulator/memory_impl.h"

/* tg_emu_inst.flags of ld, st and atom. */
enum {
    TG_EMU_MEMORY_NARROW = 1,  /* the address register has 32 bits */
    TG_EMU_MEMORY_SIGNED = 2,  /* the loaded value is sign-extended */
    TG_EMU_MEMORY_STRONG = 4,  /* .relaxed or .volatile: does not race with other strong accesses */
    TG_EMU_MEMORY_CLUSTER = 8, /* addresses are those of .shared::cluster */
    TG_EMU_MEMORY_SPACE = 4,   /* position of 3 bits: the space */
    TG_EMU_MEMORY_BYTES = 8,   /* position of 4 bits: bytes of an element */
    TG_EMU_MEMORY_COUNT = 12,  /* position of 4 bits: number of elements */
    TG_EMU_MEMORY_REGISTERS =
        16 /* position of 2 bits per element: the binary logarithm of its register's bytes */
};
#define TG_EMU_MEMORY_OF(space, bytes, count)                                                      \
    ((uint32_t)(space) << TG_EMU_MEMORY_SPACE | (uint32_t)(bytes) << TG_EMU_MEMORY_BYTES |         \
     (uint32_t)(count) << TG_EMU_MEMORY_COUNT)

static inline tg_emu_space tg_emu_memory_space(uint32_t flags)
{
    return (tg_emu_space)(flags >> TG_EMU_MEMORY_SPACE & 7);
}
static inline unsigned tg_emu_memory_bytes(uint32_t flags)
{
    return flags >> TG_EMU_MEMORY_BYTES & 15;
}
static inline unsigned tg_emu_memory_count(uint32_t flags)
{
    return flags >> TG_EMU_MEMORY_COUNT & 15;
}
static inline unsigned tg_emu_memory_register(uint32_t flags, unsigned element)
{
    return 1u << (flags >> (TG_EMU_MEMORY_REGISTERS + 2 * element) & 3);
}

#endif
