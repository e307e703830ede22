/* Runs a launch. */
#ifndef TG_EMULATOR_RUN_H
#define TG_EMULATOR_RUN_H

#include "base/diag.h"
#include "emulator/launch.h"
#include "emulator/memory.h"
#include "emulator/module.h"

/* Runs a grid to its end or to its first trap.  Returns TG_OK also after a trap, TG_ERR_USAGE if
 * the launch does not fit the entry, TG_ERR_NO_MEMORY, or TG_ERR_STOPPED. */
tg_status tg_emu_run(tg_emu_module *module, tg_emu_memory *memory, const tg_emu_launch *launch,
                     tg_emu_result *result, tg_diags *diags);

#endif
