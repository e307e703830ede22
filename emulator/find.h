/* Where the lanes of an access point. */
#ifndef TG_EMULATOR_FIND_H
#define TG_EMULATOR_FIND_H

#include "emulator/exec.h"

/* Finds, checks and notes an access of every lane in `mask`: data[lane] for each.  in[0] is the address. */
bool tg_emu_find_lanes(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask, unsigned bytes,
                       tg_emu_touch touch, bool is_strong, unsigned char *data[TG_EMU_LANES]);

#endif
