/* Local memory: each thread's own. */
#ifndef TG_EMULATOR_LOCAL_H
#define TG_EMULATOR_LOCAL_H

#include "emulator/exec.h"

/* Resolves and checks the access of every lane in `mask`, whose address is in[0]; sets data[lane] for
 * each.  Returns false after a trap. */
bool tg_emu_local_find(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask, unsigned bytes,
                       tg_emu_touch touch, unsigned char *data[TG_EMU_LANES]);

/* The same of an address of one lane. */
bool tg_emu_local_find_lane(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane,
                            uint64_t address, unsigned bytes, tg_emu_touch touch,
                            unsigned char **data);

#endif
