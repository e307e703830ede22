/* Special registers, such as %tid.x: which instructions read one. */
#ifndef TG_EMULATOR_SPECIAL_H
#define TG_EMULATOR_SPECIAL_H

#include <stdint.h>

#include "emulator/module.h"

/* The first line, from `first` to `last`, with an instruction that reads a special register; 0: none does. */
uint32_t tg_emu_special_read(const tg_emu_module *module, uint32_t first, uint32_t last);

#endif
