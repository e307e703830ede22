/* Handlers of moves, loads and stores. */
#ifndef TG_EMULATOR_EXEC_MEMORY_H
#define TG_EMULATOR_EXEC_MEMORY_H

#include "emulator/exec.h"

tg_emu_exec_fn tg_emu_exec_load, tg_emu_exec_load_param, tg_emu_exec_store, tg_emu_exec_pack,
    tg_emu_exec_unpack, tg_emu_exec_offset;

#endif
