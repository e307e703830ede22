/* A warp's part of a product takes place: it reads its factors, and changes its sum. */
#ifndef TG_EMULATOR_WGMMA_PART_H
#define TG_EMULATOR_WGMMA_PART_H

#include "emulator/wgmma_state.h"

/* For a part of the current warp, all earlier ones of which have taken place. */
tg_emu_step tg_emu_wgmma_take_place(tg_emu_exec *exec, tg_emu_wgmma_part *part);

/* Traps: the register's name, and what is wrong with it. */
tg_emu_step tg_emu_wgmma_trap_register(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t reg,
                                       tg_emu_trap_kind kind, const char *what);

#endif
