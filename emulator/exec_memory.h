/* Handlers of moves and memory, and what their flags say. */
#ifndef TG_EMULATOR_EXEC_MEMORY_H
#define TG_EMULATOR_EXEC_MEMORY_H

#include "emulator/exec.h"

/* tg_emu_inst.flags of ld, st and atom. */
enum {
    TG_EMU_MEMORY_NARROW = 1, /* the address register has 32 bits */
    TG_EMU_MEMORY_SIGNED = 2, /* what is loaded is sign-extended */
    TG_EMU_MEMORY_STRONG = 4, /* .relaxed or .volatile: no race with others of the kind */
    TG_EMU_MEMORY_SPACE = 4,  /* first of 2 bits */
    TG_EMU_MEMORY_BYTES = 8,  /* of 4 bits: of an element */
    TG_EMU_MEMORY_COUNT = 12, /* of 4 bits */
    TG_EMU_MEMORY_REGISTERS =
        16 /* of 2 bits an element: the binary logarithm of its register's bytes */
};
#define TG_EMU_MEMORY_OF(space, bytes, count)                                                      \
    ((uint32_t)(space) << TG_EMU_MEMORY_SPACE | (uint32_t)(bytes) << TG_EMU_MEMORY_BYTES |         \
     (uint32_t)(count) << TG_EMU_MEMORY_COUNT)

static inline tg_emu_space tg_emu_memory_space(uint32_t flags)
{
    return (tg_emu_space)(flags >> TG_EMU_MEMORY_SPACE & 3);
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

/* Finds, checks and notes an access of every lane in `mask`: data[lane] for each.  in[0] is the address. */
bool tg_emu_find_lanes(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask, unsigned bytes,
                       tg_emu_touch touch, bool is_strong, unsigned char *data[TG_EMU_LANES]);

tg_emu_exec_fn tg_emu_exec_load, tg_emu_exec_load_param, tg_emu_exec_store, tg_emu_exec_pack,
    tg_emu_exec_unpack, tg_emu_exec_offset;

#endif
