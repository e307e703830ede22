/* Calls of functions.  A body is put in place of each call: parsed there again, with names of its own. */
#ifndef TG_EMULATOR_PARSE_CALL_H
#define TG_EMULATOR_PARSE_CALL_H

#include "emulator/parser.h"

/* Parses from behind "call" and its modifiers up to the semicolon.  `inst` has the guard and the place. */
tg_status tg_emu_parse_call(tg_emu_parser *parser, const tg_emu_statement *statement,
                            const tg_emu_inst *inst);

#endif
