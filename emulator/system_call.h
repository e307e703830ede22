/* The functions that CUDA gives to device code by calls without a body: vprintf and __assertfail (PTX Writer's Guide to
 * Interoperability, "System calls"). */
#ifndef TG_EMULATOR_SYSTEM_CALL_H
#define TG_EMULATOR_SYSTEM_CALL_H

#include "emulator/call.h"

/* Adds the call to the entry; `inst` has its guard and place.  Fails if no such function is known. */
tg_status tg_emu_add_system_call(tg_emu_parser *parser, const tg_emu_call *call,
                                 const tg_emu_inst *inst);

#endif
