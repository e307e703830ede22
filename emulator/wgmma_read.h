/* Where a warp's part of a product finds its factors: in shared memory, by descriptors, or in registers. */
#ifndef TG_EMULATOR_WGMMA_READ_H
#define TG_EMULATOR_WGMMA_READ_H

#include "emulator/wgmma_state.h"
#include "emulator/wgmma_sum.h"

/* Reads both factors of a part of the current warp, and records the accesses.  Returns false after a trap. */
bool tg_emu_wgmma_read(tg_emu_exec *exec, const tg_emu_wgmma_part *part, tg_emu_wgmma_bytes *out);

#endif
