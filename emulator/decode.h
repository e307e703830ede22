/* Decodes statements to instructions. */
#ifndef TG_EMULATOR_DECODE_H
#define TG_EMULATOR_DECODE_H

#include "emulator/parser.h"

/* Decodes the statement; the instruction is the entry's next one. */
tg_status tg_emu_decode(tg_emu_parser *parser, tg_emu_statement *statement, tg_emu_inst *inst);

#endif
