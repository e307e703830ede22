/* The layout of device addresses, and the memory behind them. */
#ifndef TG_EMULATOR_MEMORY_IMPL_H
#define TG_EMULATOR_MEMORY_IMPL_H

#include "emulator/memory.h"
#include "emulator/shadow.h"

typedef enum tg_emu_space {
    TG_EMU_GLOBAL,
    TG_EMU_CONST,
    TG_EMU_SHARED,
    TG_EMU_PARAM,
    TG_EMU_LOCAL, /* of each thread */
    TG_EMU_SPACE_COUNT
} tg_emu_space;

/* An allocation or a variable. */
typedef struct tg_emu_block {
    uint64_t base;
    size_t bytes;
    unsigned char *data;
    char *name; /* may be NULL */
    tg_emu_space space;
    bool is_freed;
    tg_emu_shadow shadow;
} tg_emu_block;

/* Addresses: bits 40 and up are the index of a block.  Its bytes begin in the middle of its range
 * of 2^40 addresses, so that an address beyond either end does not fall into another block.  No
 * block has index 0. */
enum { TG_EMU_BLOCK_BITS = 40 };
#define TG_EMU_MIDDLE (UINT64_C(1) << 39)
#define TG_EMU_MODULE_BLOCKS                                                                       \
    UINT64_C(0x400000) /* blocks from this index on are variables of the module */
#define TG_EMU_SHARED_WINDOW                                                                       \
    (UINT64_C(0x200000) << TG_EMU_BLOCK_BITS) /* generic addresses of shared memory */
enum { TG_EMU_SHARED_START = 1024 }; /* first address of the shared space; nothing has address 0 */
enum { TG_EMU_LOCAL_START = 4096 };  /* of the local space of each thread */
/* generic addresses of local memory */
#define TG_EMU_LOCAL_WINDOW (UINT64_C(0x200001) << TG_EMU_BLOCK_BITS)

struct tg_emu_memory {
    tg_emu_block *blocks; /* [0] is unused */
    size_t count, capacity;
    uint32_t epoch; /* for races; continues from launch to launch */
};

#endif
