/* From a statement to an instruction. */
#ifndef TG_EMULATOR_DECODE_H
#define TG_EMULATOR_DECODE_H

#include "emulator/parser.h"

/* The statement's instruction as the next of the entry. */
tg_status tg_emu_decode(tg_emu_parser *parser, tg_emu_statement *statement, tg_emu_inst *inst);

#endif
