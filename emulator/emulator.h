/* Runs PTX text on the CPU: parses it, executes it warp by warp, and traps errors that a GPU would
 * pass over silently.  The emulator does not depend on where the text comes from.  docs/emulator.md
 * says which PTX it accepts.
 *
 *   load text -> module; allocate device memory, fill it through tg_emu_host; launch; read it back
 *
 * A module and a memory serve one launch at a time; different ones are independent of each other.
 * Users of the emulator include this header, which includes all the others that they need. */
#ifndef TG_EMULATOR_EMULATOR_H
#define TG_EMULATOR_EMULATOR_H

#include "emulator/launch.h"
#include "emulator/load.h"
#include "emulator/memory.h"
#include "emulator/module.h"
#include "emulator/run.h"
#include "emulator/trap.h"

#endif
