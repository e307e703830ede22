/* Runs PTX text on the CPU: parses it, executes it warp by warp, and traps what a GPU would let pass in
 * silence.  Nothing here knows where the text came from.  docs/emulator.md says which PTX is understood.
 *
 *   load text -> module;  allocate device memory, fill it through tg_emu_host;  launch;  read it back
 *
 * A module and a memory serve one launch at a time; different ones are independent of each other.  Users of the
 * emulator include this header, which is all of them together. */
#ifndef TG_EMULATOR_EMULATOR_H
#define TG_EMULATOR_EMULATOR_H

#include "emulator/launch.h"
#include "emulator/load.h"
#include "emulator/memory.h"
#include "emulator/module.h"
#include "emulator/run.h"
#include "emulator/trap.h"

#endif
