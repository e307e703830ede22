/* Tensor memory of a CTA: 128 lanes of 512 columns of 32 bits.  Warps allocate columns of it.  It is made
 * when the first one does so, and new in each CTA.
 *
 * An address is 32 bits: the lane, then the column in the low 16. */
#ifndef TG_EMULATOR_TENSOR_MEMORY_H
#define TG_EMULATOR_TENSOR_MEMORY_H

#include "emulator/exec.h"

enum { TG_EMU_TENSOR_LANES = 128, TG_EMU_TENSOR_COLUMNS = 512 };

struct tg_emu_tensor_memory {
    uint32_t cells[TG_EMU_TENSOR_LANES][TG_EMU_TENSOR_COLUMNS];
    bool is_defined[TG_EMU_TENSOR_LANES][TG_EMU_TENSOR_COLUMNS];
    uint32_t owner[TG_EMU_TENSOR_COLUMNS]; /* the number of its allocation; 0: it is free */
    uint32_t allocations;                  /* so far */
    bool is_relinquished;                  /* nothing may be allocated any more */
};

/* Part of it: lanes and columns. */
typedef struct tg_emu_tensor_part {
    uint32_t lane, lanes, column, columns;
} tg_emu_tensor_part;

static inline uint32_t tg_emu_tensor_lane_of(uint32_t address) { return address >> 16; }
static inline uint32_t tg_emu_tensor_column_of(uint32_t address) { return address & 0xffff; }

/* That of the current warp's CTA.  Returns NULL if memory runs out. */
tg_emu_tensor_memory *tg_emu_tensor_memory_of(tg_emu_exec *exec);
/* Called when a cluster begins. */
void tg_emu_tensor_memory_forget(tg_emu_exec *exec);

/* Whether the part is in one allocation; if not, it has trapped.  `inst` and `lane` of the current warp
 * access it. */
bool tg_emu_tensor_check(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                         const tg_emu_tensor_part *part);

/* Checks the part, and records the access: what is read must be defined, what is written becomes so. */
bool tg_emu_tensor_access(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                          const tg_emu_tensor_part *part, const tg_emu_visit *visit);

#endif
