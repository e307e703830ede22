/* Registers: their declarations, and their positions in a frame. */
#ifndef TG_EMULATOR_PARSE_REGISTER_H
#define TG_EMULATOR_PARSE_REGISTER_H

#include "emulator/parser.h"

/* Parses "TYPE NAME[<COUNT>], ...;", beginning at the token after .reg. */
tg_status tg_emu_parse_registers(tg_emu_parser *parser);

/* Adds a register to the current entry. */
tg_status tg_emu_new_register(tg_emu_parser *parser, tg_emu_type type, const tg_emu_token *at,
                              tg_emu_slot *out);

#endif
