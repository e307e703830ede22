/* Parses operands as written. */
#ifndef TG_EMULATOR_PARSE_OPERAND_H
#define TG_EMULATOR_PARSE_OPERAND_H

#include "emulator/parser.h"

/* `is_long`: a vector may have as many registers as the sum of a warpgroup's product, or a load of tensor
 * memory. */
tg_status tg_emu_parse_operand(tg_emu_parser *parser, bool is_long, tg_emu_operand *out);

#endif
