/* Resolves the addresses of an access. */
#ifndef TG_EMULATOR_FIND_H
#define TG_EMULATOR_FIND_H

#include "emulator/exec.h"

/* Resolves, checks and records the access of every lane in `mask`; sets data[lane] for each.  The
 * address is in[0].  Returns false after a trap. */
bool tg_emu_find_lanes(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask, unsigned bytes,
                       tg_emu_touch touch, bool is_strong, unsigned char *data[TG_EMU_LANES]);

#endif
