/* Parses operands as written. */
#ifndef TG_EMULATOR_PARSE_OPERAND_H
#define TG_EMULATOR_PARSE_OPERAND_H

#include "emulator/parser.h"

tg_status tg_emu_parse_operand(tg_emu_parser *parser, tg_emu_operand *out);

#endif
