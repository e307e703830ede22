/* Which lines of a loaded text have instructions that its caller must know of. */
#ifndef TG_EMULATOR_LINES_H
#define TG_EMULATOR_LINES_H

#include <stdint.h>

#include "emulator/module.h"

/* Each returns the first line, from `first` to `last`, with such an instruction; 0: none is. */

/* Reads a special register, such as %tid.x. */
uint32_t tg_emu_line_special(const tg_emu_module *module, uint32_t first, uint32_t last);

/* May give other bits on a GPU: the .approx forms, products in tensor cores, and what ptxas may fuse. */
uint32_t tg_emu_line_inexact(const tg_emu_module *module, uint32_t first, uint32_t last);

#endif
